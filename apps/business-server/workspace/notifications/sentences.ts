import { FINANCE_DECIDER } from '../../second-person.ts'

/** As the founder console has it. */
const SPANISH = 'persona que puede hacerlo (propietario, administrador o finanzas)'

/** What a notification says, in the languages of the consoles and emails. */
interface Said {
  detail: string
  spanish: string
}

const say = (detail: string, spanish: string): Said => ({ detail, spanish })

/** One sentence for one, another for several. */
const counted =
  (one: Said, many: (count: string) => Said) =>
  (count: number): Said =>
    count === 1 ? one : many(String(count))

/** One after another. */
export const together = (...said: readonly Said[]): Said => ({
  detail: said.map(({ detail }) => detail).join(' '),
  spanish: said.map(({ spanish }) => spanish).join(' '),
})

export const accountHolds = (amount: string, code: string): Said =>
  say(
    `The distribution account holds ${amount} ${code}.`,
    `La cuenta de distribución tiene ${amount} ${code}.`,
  )

export const limitIs = (limit: string, code: string): Said =>
  say(`The limit is ${limit} ${code}.`, `El umbral es ${limit} ${code}.`)

export const ceilingIs = (ceiling: string, code: string): Said =>
  say(`The ceiling is ${ceiling} ${code}.`, `El máximo es ${ceiling} ${code}.`)

export const waitForMore = counted(say('1 payment waits for more.', '1 pago espera más.'), count =>
  say(`${count} payments wait for more.`, `${count} pagos esperan más.`),
)

export const waitForXlm = (payments: number, missing: string): Said =>
  counted(
    say(`1 payment waits: one needs ${missing} XLM.`, `1 pago espera: uno necesita ${missing} XLM.`),
    count =>
      say(
        `${count} payments wait: one needs ${missing} XLM.`,
        `${count} pagos esperan: uno necesita ${missing} XLM.`,
      ),
  )(payments)

export const frozen = (code: string): Said =>
  say(
    `The issuer has not authorized it to hold ${code}, or has frozen it.`,
    `El emisor no la autorizó a tener ${code}, o la congeló.`,
  )

export const noColdAccount = say('No cold account is set.', 'No hay una cuenta fría fijada.')
export const sentBack = say('The cold account sent units back.', 'La cuenta fría devolvió unidades.')
export const sweepWaits = (why: string): Said =>
  say(`A sweep waits: ${why}`, 'Un envío a la cuenta fría espera. Tesorería dice por qué.')

export const spendable = (account: string, xlm: string): Said =>
  say(
    `The distribution account ${account} can spend ${xlm} XLM.`,
    `La cuenta de distribución ${account} puede gastar ${xlm} XLM.`,
  )

/** The incident itself is said in Spanish on its own page. */
export const incident = (english: string): Said =>
  say(english, 'Un incidente de la red espera su decisión. Ábralo para ver qué ocurrió y qué hacer.')

export const wrongAccount = (rail: string, fault: string): Said =>
  say(
    `The account of ${rail} is wrong: ${fault}. Deposits over ${rail} are closed.`,
    `La cuenta de ${rail} es incorrecta. Los depósitos por ${rail} están cerrados.`,
  )

export const statementLines = counted(
  say(
    'A line of a bank statement waits for a decision.',
    'Una línea de un extracto bancario espera una decisión.',
  ),
  count =>
    say(
      `${count} lines of bank statements wait for a decision.`,
      `${count} líneas de extractos bancarios esperan una decisión.`,
    ),
)

export const unmatchedLines = counted(
  say(
    'A line of a bank statement has not been matched for an hour. The server tries again.',
    'Una línea de un extracto bancario lleva una hora sin conciliar. El servidor lo intenta de nuevo.',
  ),
  count =>
    say(
      `${count} lines of bank statements have not been matched for an hour. The server tries again.`,
      `${count} líneas de extractos bancarios llevan una hora sin conciliar. El servidor lo intenta de nuevo.`,
    ),
)

export const refusedMessages = counted(
  say(
    'A message to the platform or to wallets was refused. Developers shows it, under Refused messages.',
    'Se rechazó un mensaje a la plataforma o a las billeteras. Desarrolladores lo muestra, en Mensajes rechazados.',
  ),
  count =>
    say(
      `${count} messages to the platform or to wallets were refused. Developers shows them, under Refused messages.`,
      `Se rechazaron ${count} mensajes a la plataforma o a las billeteras. Desarrolladores los muestra, en Mensajes rechazados.`,
    ),
)

export const paymentsSentBack = counted(
  say(
    'A payment that the bank sent back waits until you pay it again or refund it.',
    'Un pago que el banco devolvió espera hasta que lo pague de nuevo o lo reembolse.',
  ),
  count =>
    say(
      `${count} payments that the bank sent back wait until you pay them again or refund them.`,
      `${count} pagos que el banco devolvió esperan hasta que los pague de nuevo o los reembolse.`,
    ),
)

export const payoutFiles = counted(
  say(
    `A payout file waits until a second ${FINANCE_DECIDER} approves it.`,
    `Un archivo de pagos espera hasta que lo apruebe una segunda ${SPANISH}.`,
  ),
  count =>
    say(
      `${count} payout files wait until a second ${FINANCE_DECIDER} approves them.`,
      `${count} archivos de pagos esperan hasta que los apruebe una segunda ${SPANISH}.`,
    ),
)

export const fileRejections = counted(
  say(
    `A second ${FINANCE_DECIDER} has to say whether the bank rejected a payout file.`,
    `Una segunda ${SPANISH} debe decir si el banco rechazó un archivo de pagos.`,
  ),
  count =>
    say(
      `A second ${FINANCE_DECIDER} has to say whether the bank rejected ${count} payout files.`,
      `Una segunda ${SPANISH} debe decir si el banco rechazó ${count} archivos de pagos.`,
    ),
)

export const returnAccounts = counted(
  say(
    `A second ${FINANCE_DECIDER} has to approve the account of a return.`,
    `Una segunda ${SPANISH} debe aprobar la cuenta de una devolución.`,
  ),
  count =>
    say(
      `A second ${FINANCE_DECIDER} has to approve the accounts of ${count} returns.`,
      `Una segunda ${SPANISH} debe aprobar las cuentas de ${count} devoluciones.`,
    ),
)

export const openingBalances = counted(
  say(
    `A second ${FINANCE_DECIDER} has to approve the opening balance of a bank account.`,
    `Una segunda ${SPANISH} debe aprobar el saldo inicial de una cuenta bancaria.`,
  ),
  count =>
    say(
      `A second ${FINANCE_DECIDER} has to approve the opening balances of ${count} bank accounts.`,
      `Una segunda ${SPANISH} debe aprobar los saldos iniciales de ${count} cuentas bancarias.`,
    ),
)

export const manualEntries = counted(
  say(
    `An entry that someone wrote into the journal waits for a second ${FINANCE_DECIDER}.`,
    `Un asiento que alguien escribió en el diario espera a una segunda ${SPANISH}.`,
  ),
  count =>
    say(
      `${count} entries that someone wrote into the journal wait for a second ${FINANCE_DECIDER}.`,
      `${count} asientos que alguien escribió en el diario esperan a una segunda ${SPANISH}.`,
    ),
)

export const unboundOrders = counted(
  say(
    'An order of money waits that the server did not write, or not so. Find out who changed the database.',
    'Espera una orden de dinero que el servidor no escribió, o no así. Averigüe quién cambió la base de datos.',
  ),
  count =>
    say(
      `${count} orders of money wait that the server did not write, or not so. Find out who changed the database.`,
      `Esperan ${count} órdenes de dinero que el servidor no escribió, o no así. Averigüe quién cambió la base de datos.`,
    ),
)

export const decisions = counted(
  say(`A decision waits for a second ${FINANCE_DECIDER}.`, `Una decisión espera a una segunda ${SPANISH}.`),
  count =>
    say(
      `${count} decisions wait for a second ${FINANCE_DECIDER}.`,
      `${count} decisiones esperan a una segunda ${SPANISH}.`,
    ),
)

export const screeningHits = counted(
  say(
    'A name or a transfer that compliance screening found waits for a decision.',
    'Un nombre o una transferencia que halló el cumplimiento espera una decisión.',
  ),
  count =>
    say(
      `${count} names and transfers that compliance screening found wait for a decision.`,
      `${count} nombres y transferencias que halló el cumplimiento esperan una decisión.`,
    ),
)

export const overdueCases = counted(
  say('A case of compliance is overdue.', 'Un caso de cumplimiento está vencido.'),
  count => say(`${count} cases of compliance are overdue.`, `${count} casos de cumplimiento están vencidos.`),
)

export const rejectedCustomers = counted(
  say(
    'A payment waits because the identity of its customer was rejected. You can refund it.',
    'Un pago espera porque se rechazó la identidad de su cliente. Puede reembolsarlo.',
  ),
  count =>
    say(
      `${count} payments wait because the identity of their customers was rejected. You can refund them.`,
      `${count} pagos esperan porque se rechazó la identidad de sus clientes. Puede reembolsarlos.`,
    ),
)

export const otherHolders = counted(
  say(
    'A payout waits because a bank named another holder of its account. Resend or refund it.',
    'Un pago espera porque un banco nombró a otro titular de su cuenta. Reenvíelo o reembólselo.',
  ),
  count =>
    say(
      `${count} payouts wait because a bank named another holder of their accounts. Resend or refund them.`,
      `${count} pagos esperan porque un banco nombró a otro titular de sus cuentas. Reenvíelos o reembólselos.`,
    ),
)

export const takenBack = counted(
  say(
    'A bank took the money of a deposit back after its units had left. The customer owes it.',
    'Un banco retiró el dinero de un depósito después de que salieran sus unidades. El cliente lo debe.',
  ),
  count =>
    say(
      `Banks took the money of ${count} deposits back after their units had left. The customers owe it.`,
      `Los bancos retiraron el dinero de ${count} depósitos después de que salieran sus unidades. Los clientes lo deben.`,
    ),
)

export const staleList = (list: string, days: number): Said =>
  say(
    `The sanctions list ${list} was last loaded or checked ${days} days ago. Load the newest one of its authority.`,
    `La lista de sanciones ${list} se cargó o comprobó por última vez hace ${days} días. Cargue la más nueva de su autoridad.`,
  )

export const noList = say(
  'No sanctions list is loaded, so every payment waits. Load one.',
  'No hay ninguna lista de sanciones cargada, así que todos los pagos esperan. Cargue una.',
)

export const smallerList = (list: string, file: string, entries: number): Said =>
  say(
    `The sanctions list ${list} in ${file} has ${entries} entries and lacks some of what counts now. A second person has to load the same file.`,
    `La lista de sanciones ${list} en ${file} tiene ${entries} entradas y le falta algo de lo que cuenta ahora. Otra persona debe cargar el mismo archivo.`,
  )

export const listNotFetched = (list: string, refused: boolean, why: string): Said =>
  say(
    `The sanctions list ${list} ${refused ? 'was refused' : 'could not be fetched'}: ${why}`,
    `La lista de sanciones ${list} ${refused ? 'fue rechazada' : 'no se pudo descargar'}: ${why}`,
  )

export const deliveriesFail = (host: string, error: string | null): Said =>
  say(
    `Deliveries to ${host} fail: ${error ?? 'the endpoint does not accept them'}.`,
    `Las entregas a ${host} fallan: ${error ?? 'la dirección no las acepta'}.`,
  )

interface Shortfall {
  currencies: readonly { currency: string; owed: string; there: string }[]
  difference: string
}

export function shortfall({ currencies, difference }: Shortfall): Said {
  const english = currencies.map(
    ({ currency, owed, there }) => `${owed} ${currency} are owed and ${there} are there`,
  )
  const spanish = currencies.map(({ currency, owed, there }) => `se deben ${owed} ${currency} y hay ${there}`)
  return say(
    `Less is there than is owed to customers: ${english.join('; ')}. All together, at present rates: ${difference}.`,
    `Hay menos de lo que se debe a los clientes: ${spanish.join('; ')}. En total, a los precios de ahora: ${difference}.`,
  )
}

export const openDifferences = counted(
  say(
    'A difference between journal and rails is open.',
    'Hay una diferencia abierta entre el diario y los medios de pago.',
  ),
  count =>
    say(
      `${count} differences between journal and rails are open.`,
      `Hay ${count} diferencias abiertas entre el diario y los medios de pago.`,
    ),
)

export const treasuryDiffers = (size: string, code: string, isMore: boolean): Said =>
  say(
    `The distribution account holds ${size} ${code} ${isMore ? 'more' : 'less'} than the journal.`,
    `La cuenta de distribución tiene ${size} ${code} ${isMore ? 'más' : 'menos'} que el diario.`,
  )

interface Payout {
  money: string
  rail: string
  what: 'sent-back' | 'payout' | 'refund'
  failure: string
  transaction: string | null
}

export function payoutFailed({ money, rail, what, failure, transaction }: Payout): Said {
  const english =
    what === 'sent-back'
      ? `The bank sent ${money} over ${rail} back`
      : `The ${what} of ${money} over ${rail} failed`
  const spanish = {
    'sent-back': `El banco devolvió ${money} por ${rail}`,
    payout: `Falló el pago de ${money} por ${rail}`,
    refund: `Falló el reembolso de ${money} por ${rail}`,
  }[what]
  // The word and the id are what links find: see notification-places.ts.
  const named = transaction === null ? '' : ` Transaction ${transaction}.`
  return say(`${english}: ${failure}.${named}`, `${spanish}: ${failure}.${named}`)
}
