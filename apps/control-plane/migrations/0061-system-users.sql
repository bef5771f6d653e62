-- Numbers the system users of an anchor's servers, where the control plane runs as root.
alter table anchors add column number integer generated always as identity unique;
