"""The weights of the transformer that finds personal references in texts: `minilm.zip`, and no
code."""
