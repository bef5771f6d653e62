-- SEP-24: `callback` is called once, when the customer has finished the interactive flow; `on_change_callback` at every change.
alter table transactions add column callback text;
