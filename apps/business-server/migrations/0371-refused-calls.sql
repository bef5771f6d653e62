-- Which calls the SEP server refused is asked each minute.
create index platform_calls_refused on platform_calls (delivered_at) where refused is not null;
