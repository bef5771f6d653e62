-- What keys did at their anchors, once each, however often an anchor's server tells it. The audit log has the rest.
create table key_acts (
  anchor_id text not null references anchors,
  id text not null,
  primary key (anchor_id, id)
);
