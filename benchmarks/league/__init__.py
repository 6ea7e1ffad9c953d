"""The league: policies that need no settings, on real tables and on worlds with what real rewards are like."""
