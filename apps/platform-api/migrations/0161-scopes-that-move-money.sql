-- Keys had `statements` where nobody chose it: it was in the default, and a forged statement moves money. A key whose scopes
-- someone chose keeps it. Deciding lines, reading CSV and closing incidents have scopes of their own, which no key has yet.
update api_keys set scopes = array_remove(scopes, 'statements')
  where scopes @> '{read,write,webhooks,statements}' and scopes <@ '{read,write,webhooks,statements}';
