"""Methods of other libraries as policies, so that they play the same rounds; each library is imported when it plays."""
