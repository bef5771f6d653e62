const ledgerColumns = [
  ['Ledger', each => ledger(each.sequence)],
  ['Closed', each => time(each.closed_at)],
  ['Transactions', each => String(each.successful_transaction_count + each.failed_transaction_count), true],
  ['Operations', each => String(each.operation_count), true],
]

const operationColumns = [
  [
    'Operation',
    each => [
      each.type.replaceAll('_', ' '),
      each.transaction_successful ? '' : element('span', { class: 'bad' }, ' failed'),
    ],
  ],
  ['What', summary],
  ['Source', each => account(each.source_account)],
  ['At', each => time(each.created_at)],
  ['Transaction', each => transaction(each.transaction_hash)],
]

/** An operation in a few words. */
function summary(each) {
  const say = (...parts) => element('span', {}, parts)
  const much = () => say(`${amount(each.amount)} `, asset(each))
  switch (each.type) {
    case 'payment':
      return say(much(), ' to ', account(each.to))
    case 'create_account':
      return say(account(each.account), ` with ${amount(each.starting_balance)} XLM`)
    case 'account_merge':
      return say('into ', account(each.into))
    case 'change_trust':
      return say(asset(each), each.limit === '0.0000000' ? ' removed' : ` up to ${limit(each.limit)}`)
    case 'clawback':
      return say(much(), ' from ', account(each.from))
    case 'create_claimable_balance':
      return much()
    case 'claim_claimable_balance':
    case 'clawback_claimable_balance':
      return link('balance', each.balance_id)
    case 'set_trust_line_flags':
    case 'allow_trust':
      return say(asset(each), ' of ', account(each.trustor))
    case 'manage_data':
      return each.value === '' ? `${each.name} removed` : each.name
    case 'bump_sequence':
      return `to ${each.bump_to}`
    case 'set_options':
      return Object.keys(each)
        .filter(name =>
          /^(home_domain|.*threshold|master_key_weight|signer_key|set_flags_s|clear_flags_s)$/.test(name),
        )
        .map(
          name =>
            `${name.replaceAll('_', ' ').replace(/ s$/, '')} ${name === 'signer_key' ? short(each[name]) : each[name]}`,
        )
        .join(', ')
    default:
      return ''
  }
}

const views = {
  async ''() {
    const [ledgers, operations] = await Promise.all([
      records('/ledgers?order=desc&limit=20'),
      records('/operations?order=desc&limit=20&include_failed=true'),
    ])
    const closing = table('Ledgers, newest first', ledgerColumns, ledgers, each => each.sequence)
    const going = table('Operations, newest first', operationColumns, operations, each => each.id)
    follow('/ledgers', ledgers[0], each => closing.add(each, true))
    follow('/operations?include_failed=true', operations[0], each => going.add(each, true))
    return [
      'Ledgers closing now',
      element('div', { class: 'columns' }, [
        element('section', {}, element('h2', {}, 'Ledgers'), closing.whole),
        element('section', {}, element('h2', {}, 'Operations'), going.whole),
      ]),
    ]
  },

  async ledger(sequence) {
    const path = `/ledgers/${sequence}`
    const [found, transactions] = await Promise.all([
      get(path),
      records(`${path}/transactions?include_failed=true&limit=200`),
    ])
    const number = found.sequence
    return [
      `Ledger ${number}`,
      facts([
        ['Closed', new Date(found.closed_at).toLocaleString()],
        ['Hash', element('code', {}, found.hash)],
        ['Previous', number > 1 ? ledger(number - 1) : undefined],
        ['Next', ledger(number + 1)],
        ['Fee pool', `${amount(found.fee_pool)} XLM`],
      ]),
      element('h2', {}, 'Transactions'),
      transactionTable(transactions).whole,
    ]
  },

  async transaction(hash) {
    const path = `/transactions/${hash}`
    const [found, operations, effects] = await Promise.all([
      get(path),
      records(`${path}/operations?limit=200`),
      records(`${path}/effects?limit=200`),
    ])
    return [
      `Transaction ${short(found.hash)}`,
      facts([
        ['Outcome', outcome(found.successful)],
        ['Hash', element('code', {}, found.hash)],
        ['Ledger', ledger(found.ledger)],
        ['Closed', new Date(found.created_at).toLocaleString()],
        ['Source', account(found.source_account)],
        ['Sequence', found.source_account_sequence],
        ['Fee', `${found.fee_charged} of at most ${found.max_fee} stroops`],
        ['Fee paid by', found.fee_account === found.source_account ? undefined : account(found.fee_account)],
        ['Memo', found.memo_type === 'none' ? undefined : `${found.memo} (${found.memo_type})`],
      ]),
      element('h2', {}, 'Operations'),
      table('Operations', operationColumns, operations).whole,
      element('h2', {}, 'Effects'),
      table(
        'Effects',
        [
          ['Effect', each => each.type.replaceAll('_', ' ')],
          ['Account', each => account(each.account)],
          [
            'Amount',
            each => each.amount && element('span', {}, `${amount(each.amount)} `, asset(each)),
            true,
          ],
        ],
        effects,
      ).whole,
    ]
  },

  async account(id) {
    const path = `/accounts/${id}`
    const [found, operations, balances] = await Promise.all([
      get(path),
      records(`${path}/operations?order=desc&limit=50&include_failed=true`),
      records(`/claimable_balances?claimant=${id}&limit=50`),
    ])
    const history = table('Operations, newest first', operationColumns, operations, each => each.id)
    follow(`${path}/operations?include_failed=true`, operations[0], each => {
      history.add(each, true)
      void get(path).then(fresh => holdings.replaceChildren(...held(fresh)))
    })
    const held = of => [
      element('h2', {}, 'Balances'),
      table(
        'Balances',
        [
          ['Asset', each => asset(each)],
          ['Issuer', each => each.asset_issuer && account(each.asset_issuer)],
          ['Balance', each => amount(each.balance), true],
          ['Limit', each => each.limit && limit(each.limit), true],
          [
            'Authorised',
            each =>
              each.limit &&
              (each.is_authorized ? 'yes' : each.is_authorized_to_maintain_liabilities ? 'to keep' : 'no'),
          ],
        ],
        of.balances,
      ).whole,
    ]
    const holdings = element('section', {}, held(found))
    const flags = Object.keys(found.flags).filter(name => found.flags[name])
    return [
      `Account ${short(found.id)}`,
      facts([
        ['Address', element('code', {}, found.id)],
        ['Home domain', found.home_domain],
        ['Sequence', found.sequence],
        ['Flags', flags.join(', ').replaceAll('_', ' ')],
        [
          'Thresholds',
          ['low', 'med', 'high'].map(level => found.thresholds[`${level}_threshold`]).join(' / '),
        ],
        ['Subentries', String(found.subentry_count)],
      ]),
      holdings,
      balances.length > 0 && element('h2', {}, 'To be claimed'),
      balances.length > 0 && balanceTable(balances),
      element('h2', {}, 'History'),
      history.whole,
      element('h2', {}, 'Signers'),
      table(
        'Signers',
        [
          [
            'Key',
            each => (each.key.startsWith('G') ? account(each.key) : element('code', {}, short(each.key))),
          ],
          ['Weight', each => String(each.weight), true],
        ],
        found.signers,
      ).whole,
      Object.keys(found.data).length > 0 && element('h2', {}, 'Data'),
      Object.keys(found.data).length > 0 &&
        facts(Object.entries(found.data).map(([name, value]) => [name, element('code', {}, value)])),
    ]
  },

  async asset(name) {
    const [code, issuer] = name.split(':')
    const [[found], holders, balances] = await Promise.all([
      records(`/assets?asset_code=${code}&asset_issuer=${issuer}`),
      records(`/accounts?asset=${code}:${issuer}&limit=200`),
      records(`/claimable_balances?asset=${code}:${issuer}&limit=50`),
    ])
    if (!found) throw new Problem('Nobody holds or trusts this asset.')
    const line = of => of.balances.find(each => each.asset_code === code && each.asset_issuer === issuer)
    return [
      `Asset ${code}`,
      facts([
        ['Issuer', account(issuer)],
        ['Held', amount(found.balances.authorized)],
        [
          'Held without authorisation',
          found.accounts.unauthorized ? amount(found.balances.unauthorized) : undefined,
        ],
        ['To be claimed', found.num_claimable_balances ? amount(found.claimable_balances_amount) : undefined],
        [
          'Description',
          found._links.toml.href &&
            element('a', { href: found._links.toml.href, rel: 'noreferrer' }, found._links.toml.href),
        ],
      ]),
      element('h2', {}, `Holders`),
      table(
        'Holders',
        [
          ['Account', each => account(each.id)],
          ['Home domain', each => each.home_domain],
          ['Balance', each => amount(line(each).balance), true],
          ['Limit', each => limit(line(each).limit), true],
        ],
        holders,
      ).whole,
      balances.length > 0 && element('h2', {}, 'Claimable balances'),
      balances.length > 0 && balanceTable(balances),
    ]
  },

  async balance(id) {
    const [found, operations] = await Promise.all([
      get(`/claimable_balances/${id}`).catch(() => undefined),
      records(`/claimable_balances/${id}/operations?limit=50`),
    ])
    if (!found && operations.length === 0) throw new Problem('There is nothing here.')
    return [
      `Claimable balance ${short(id)}`,
      found
        ? facts([
            ['Amount', element('span', {}, `${amount(found.amount)} `, asset(found))],
            ['Made by', account(found.sponsor)],
            [
              'Claimants',
              element(
                'span',
                {},
                found.claimants.flatMap(each => [account(each.destination), ' ']),
              ),
            ],
          ])
        : element('p', {}, 'It has been claimed or clawed back.'),
      element('h2', {}, 'History'),
      table('Operations', operationColumns, operations).whole,
    ]
  },
}

function balanceTable(balances) {
  return table(
    'Claimable balances',
    [
      ['Balance', each => link('balance', each.id)],
      ['Amount', each => element('span', {}, `${amount(each.amount)} `, asset(each)), true],
      ['Made by', each => account(each.sponsor)],
    ],
    balances,
  ).whole
}

function transactionTable(transactions) {
  return table(
    'Transactions',
    [
      ['Transaction', each => transaction(each.hash)],
      ['Outcome', each => outcome(each.successful)],
      ['Source', each => account(each.source_account)],
      ['Operations', each => String(each.operation_count), true],
      ['Memo', each => each.memo],
    ],
    transactions,
  )
}
