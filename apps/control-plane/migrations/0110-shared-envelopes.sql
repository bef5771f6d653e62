-- One transaction may open the accounts of several anchors, and each of them keeps it.
alter table envelopes drop constraint envelopes_pkey;
alter table envelopes add primary key (anchor_id, hash);
