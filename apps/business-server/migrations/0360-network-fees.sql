-- Where XLM is an asset of the anchor: the place in the account's history up to which the network's fees are in the journal.
alter table observed add column fees_cursor text;
