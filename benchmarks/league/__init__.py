"""The league: the default policy against others, on real tables and on worlds with what real rewards are like."""
