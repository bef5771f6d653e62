import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const ledger: Translation<typeof english.ledger> = {
  incidents: {
    title: 'Incidentes de la red',
    lead: 'Sucesos en la red Stellar que afectan a sus registros. Un incidente abierto necesita una decisión.',
    empty: {
      title: 'Ningún incidente',
      detail: 'Todos los pagos de la red se leyeron y registraron.',
    },
    kinds: {
      'history-gap': 'Falta historial',
      'network-reset': 'Reinicio de la red',
      'unreadable-payment': 'Pago ilegible',
      'unproven-payment': 'Pago sin demostrar',
      'unrecorded-payment': 'Pago sin registrar',
      'held-receipt': 'Ingreso retenido',
      'other-chain': 'Otra cadena',
    },
    otherChain: {
      'ledger-differs': ledger =>
        `Horizon ya no tiene el ledger ${ledger} como se leyó. No se lee nada de él ni se paga nada en la red hasta que muestre la misma cadena otra vez, o usted diga que la red de pruebas se reinició.`,
      'passphrase-differs': () =>
        'Horizon responde por otra red. No se lee nada de él ni se paga nada en la red hasta que responda por esta.',
    },
    cameBack: {
      'memo-return':
        'Este pago devuelve uno suyo: su memo lo nombra. No se devuelve por sí solo, porque su remitente puede devolverlo otra vez.',
      'answers-refund':
        'A este remitente ya se le reembolsó un importe parecido. No se devuelve por sí solo, porque su remitente puede devolverlo otra vez.',
    },
    ended: { 'ledger-found-again': 'Horizon mostró la misma cadena otra vez.' },
    open: 'Abierto',
    resolved: 'Resuelto',
    resolve: 'Resolver',
    details: {
      lastRead: 'Último ledger leído',
      elder: 'Ledger más antiguo que tiene Horizon',
      expected: 'Saldo en el diario',
      actual: 'Saldo en la red',
      difference: 'Importe que falta',
      lastLedger: 'Último ledger que se leyó',
      found: 'Red que respondió',
      answers: 'Su transacción a la que responde',
      lostBalances: 'Saldos reclamables perdidos',
      envelopes: 'Transacciones firmadas',
      transfers: 'Transacciones abiertas',
      transaction: 'Transacción en la red',
      payment: 'ID del pago',
      sequence: 'Número de secuencia',
      amount: 'Importe',
      error: 'Error',
      destination: 'Destino',
      sender: 'Remitente',
      closedAt: 'Ledger cerrado el',
      deposit: 'ID del depósito',
      rail: 'Medio de pago',
      reference: 'Referencia',
      currency: 'Moneda',
    },
    list: (name, count) => `${name} (${count})`,
  },
  resolve: {
    failed: 'El incidente no se resolvió',
    outcome: {
      label: '¿Se hizo el pago?',
      missing: 'Elija lo que muestra el historial completo.',
      choices: {
        applied: { label: 'Sí', hint: 'La transacción se aplicó. El pago se registra como pagado.' },
        'not-applied': {
          label: 'No',
          hint: 'Nunca se aplicó. El pago se firma y se envía otra vez.',
        },
      },
    },
    held: {
      label: '¿Se pagó al cliente?',
      missing: 'Elija lo que muestran sus extractos.',
      choices: {
        applied: {
          label: 'Sí',
          hint: 'El cliente recibió el pago o el activo. El dinero se conserva.',
        },
        'not-applied': { label: 'No', hint: 'El cliente no recibió nada. El dinero se reembolsa.' },
      },
    },
    cameBack: {
      label: '¿Está resuelto el dinero?',
      missing: 'Elija qué se hace con el dinero.',
      choices: {
        applied: {
          label: 'Sí',
          hint: 'Se queda con usted: a quien corresponde se le pagó de otra forma, o es suyo.',
        },
        'not-applied': { label: 'No', hint: 'Se devuelve a su remitente una vez.' },
      },
    },
    chain: {
      label: '¿Se reinició la red de pruebas?',
      missing: 'Elija lo que dicen los operadores de la red.',
      choices: {
        applied: {
          label: 'Sí',
          hint: 'Lo que había en la red ya no existe. Los pagos se leen desde el principio de la cadena nueva, y lo pendiente se paga allí.',
        },
        'not-applied': {
          label: 'No',
          hint: 'Horizon se equivocó. Se le pregunta otra vez y no cambia nada más.',
        },
      },
    },
    resolution: {
      label: 'Resolución',
      hint: 'Lo que encontró y lo que hizo. Queda registrado con el incidente.',
      missing: 'Describa lo que encontró y lo que hizo.',
    },
  },
  balances: {
    title: 'Saldos del diario',
    lead: 'Los importes positivos se tienen o se han de cobrar. Los negativos se deben o se han ganado.',
  },
  entries: {
    title: 'Asientos del diario',
    lead: 'Cada movimiento de dinero, los más nuevos primero. Las líneas de un asiento suman cero.',
    empty: {
      title: 'Ningún asiento todavía',
      detail: 'El primer pago en su anchor aparece aquí.',
    },
  },
  columns: {
    account: 'Cuenta',
    balance: 'Saldo',
    at: 'Registrado',
    kind: 'Asiento',
    lines: 'Líneas',
  },
  rail: name => `Medio de pago ${name}`,
  accounts: {
    treasury: 'Tesorería',
    issued: 'Emitido',
    customers: 'Clientes',
    cold: 'Cuenta fría',
    suspense: 'Pendiente de aclarar',
    fees: 'Comisiones',
    rounding: 'Redondeo',
    capital: 'Su capital',
    kept: 'Conservado',
    exchange: 'Cambio',
    lost: 'Perdido en un reinicio',
    opening: 'Apertura',
  },
  kinds: {
    issue: 'Activo emitido',
    'ledger-receipt': 'Recibido en la red',
    'ledger-deposit': 'Pagado en la red',
    'ledger-refund': 'Reembolsado en la red',
    'ledger-reclaim': 'Saldo no reclamado recuperado',
    'ledger-redelivery': 'Pagado otra vez en la red',
    'ledger-sweep': 'Enviado a la cuenta fría',
    'top-up': 'Recarga',
    deposit: 'Depósito recibido',
    uncovered: 'Depósito por reembolsar',
    'rail-receipt': 'Pago por reembolsar',
    'rail-return': 'Reembolsado por el medio de pago',
    payout: 'Retiro pagado',
    'payout-failed': 'Pago del retiro fallido',
    reversal: 'Reversión',
    'payout-sent-back': 'Pago devuelto por el banco',
    'history-gap': 'Historial que faltaba, resuelto',
    'unrecorded-payment': 'Pago sin registrar en la red',
    'settled-before': 'Liquidado antes de una restauración',
    'rail-duplicate': 'Pago que se marcó como pagado',
    'network-reset': 'Reinicio de la red',
    opening: 'Saldos de apertura',
  },
}
