import type { ChartAccount } from '@windlass/contracts/anchor/journal.ts'
import { catalogue, text, type Text } from '@windlass/ui/catalogue.ts'

const texts = catalogue({
  rail: text(
    (name: string) => `Rail ${name}`,
    name => `Medio de pago ${name}`,
  ),
  accounts: {
    treasury: text('Treasury', 'Tesorería'),
    issued: text('Issued', 'Emitido'),
    customers: text('Customers', 'Clientes'),
    cold: text('Cold account', 'Cuenta fría'),
    suspense: text('Suspense', 'Pendiente de aclarar'),
    fees: text('Fees', 'Comisiones'),
    rounding: text('Rounding', 'Redondeo'),
    capital: text('Capital', 'Capital'),
    'own-bank': text('Your own bank accounts', 'Sus cuentas bancarias propias'),
    debts: text('Owed by customers', 'Debido por clientes'),
    unclaimed: text('Unclaimed money of customers', 'Dinero de clientes sin reclamar'),
    'in-transit': text('In transit', 'En tránsito'),
    dividends: text('Dividends', 'Dividendos'),
    'fx-income': text('Exchange income', 'Ingresos por cambio'),
    interest: text('Interest', 'Intereses'),
    'other-income': text('Other income', 'Otros ingresos'),
    charges: text('Bank charges', 'Cargos bancarios'),
    'network-fees': text('Network fees', 'Comisiones de la red'),
    losses: text('Losses', 'Pérdidas'),
    'other-costs': text('Other costs', 'Otros gastos'),
    kept: text('Your money without an account', 'Dinero propio sin cuenta'),
    exchange: text('Exchange', 'Cambio'),
    lost: text('Lost in a reset', 'Perdido en un reinicio'),
    opening: text('Opening', 'Apertura'),
  } satisfies Record<ChartAccount, Text>,
})

/** An account of the journal as people read it. */
export const accountName = (account: string): string =>
  account.startsWith('rail:')
    ? texts.rail(account.slice('rail:'.length))
    : ((texts.accounts as Record<string, string>)[account] ?? account)
