-- Who a firm quote was made for, as a keyed hash of the network address: one client may reserve only a share.
alter table quotes add column client text;
