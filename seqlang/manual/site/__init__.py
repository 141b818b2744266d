"""The manual and the library as a folder of HTML files, for a browser or a server; nothing is read from the network."""
