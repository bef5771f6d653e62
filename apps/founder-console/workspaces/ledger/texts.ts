import type { incidentEndings } from '@windlass/contracts/anchor/developer-api.ts'
import { catalogue, text, type Text } from '@windlass/ui/catalogue.ts'

export const ledger = catalogue({
  incidents: {
    title: text('Ledger incidents', 'Incidentes de la red'),
    lead: text(
      'Events on the Stellar network that affect your records. An open incident needs a decision.',
      'Sucesos en la red Stellar que afectan a sus registros. Un incidente abierto necesita una decisión.',
    ),
    empty: {
      title: text('No incidents', 'Ningún incidente'),
      detail: text(
        'Every payment on the ledger was read and recorded.',
        'Todos los pagos de la red se leyeron y registraron.',
      ),
    },
    kinds: {
      'history-gap': text('Missing history', 'Falta historial'),
      'network-reset': text('Network reset', 'Reinicio de la red'),
      'unreadable-payment': text('Unreadable payment', 'Pago ilegible'),
      'unproven-payment': text('Unproven payment', 'Pago sin demostrar'),
      'unrecorded-payment': text('Unrecorded payment', 'Pago sin registrar'),
      'held-receipt': text('Held receipt', 'Ingreso retenido'),
      'other-chain': text('Another chain', 'Otra cadena'),
    },
    openWithdrawal: text('Open the withdrawal', 'Abrir el retiro'),
    said: {
      'gap-unmeasured': text(
        'Horizon no longer has the ledgers after the last one that was read. The missing amount is being determined.',
        'Horizon ya no tiene los ledgers posteriores al último leído. Se está determinando el importe que falta.',
      ),
      'history-gap': text(
        'Horizon no longer has the ledgers after the last one that was read. Find the payments of the missing amount in a full history. Open the withdrawal below that a payment belongs to, and mark it as paid with the hash of its transaction; return what belongs to none. Then resolve the incident.',
        'Horizon ya no tiene los ledgers posteriores al último leído. Busque los pagos del importe que falta en un historial completo. Abra abajo el retiro al que corresponde un pago y márquelo como pagado con el hash de su transacción; devuelva lo que no corresponda a ninguno. Luego resuelva el incidente.',
      ),
      'network-reset': text(
        'The network was reset. Open transactions continue on the new chain.',
        'La red se reinició. Las transacciones abiertas continúan en la nueva cadena.',
      ),
      'unreadable-payment': text(
        'This payment could not be processed. It is tried again.',
        'Este pago no se pudo procesar. Se intenta otra vez.',
      ),
      withdrawal: text(
        'The payment of this withdrawal could not be proven by the signatures of validators. Nothing leaves the bank until it is proven, or you say that the payment is on the ledger.',
        'El pago de este retiro no se pudo probar con las firmas de los validadores. Nada sale del banco hasta que se pruebe, o usted diga que el pago está en la red.',
      ),
      'second-source': text(
        'The second source of the ledger does not confirm this payment. It is asked again every minute; no money follows from the payment before both sources agree.',
        'La segunda fuente de la red no confirma este pago. Se le pregunta otra vez cada minuto; ningún dinero sigue al pago antes de que coincidan las dos fuentes.',
      ),
      signature: text(
        'No key that may sign for the sender signed this payment. Horizon may have invented it: look it up in an explorer. No money follows from it; it is asked again every hour, and processed where a second source of the ledger shows it.',
        'Ninguna clave que pueda firmar por el remitente firmó este pago. Puede que Horizon lo haya inventado: búsquelo en un explorador. Ningún dinero le sigue; se pregunta otra vez cada hora, y se procesa si una segunda fuente de la red lo muestra.',
      ),
      gathered: text(
        'Many payments came of which none proves itself, so that they share this incident. No money follows from them. Each is asked for again, and processed once it is proven. Look some of them up in an explorer.',
        'Llegaron muchos pagos de los que ninguno se prueba, así que comparten este incidente. Ningún dinero les sigue. Se pregunta otra vez por cada uno, y se procesa cuando está probado. Busque algunos en un explorador.',
      ),
      'sources-differ': text(
        'Horizon and the second source show different chains. Nothing is read and nothing is paid on the ledger until they agree. Check both, and who answers there.',
        'Horizon y la segunda fuente muestran cadenas distintas. No se lee nada ni se paga nada en la red hasta que coincidan. Compruebe las dos, y quién responde allí.',
      ),
      'false-record': text(
        'Horizon had shown a last ledger that both sources of the ledger contradict now. The record is replaced and reading continues. Tell who runs your platform: Horizon lied or was wrong.',
        'Horizon había mostrado un último ledger que las dos fuentes de la red ahora contradicen. El registro se sustituyó y la lectura continúa. Avise a quien opera su plataforma: Horizon mintió o se equivocó.',
      ),
      'unproven-payment': text(
        'Horizon does not prove whether this payment was applied. Look the transaction up in a full history, then resolve the incident with the outcome. The missing amount helps: minus the amount means that the payment was applied, 0 that it was not.',
        'Horizon no prueba si este pago se aplicó. Busque la transacción en un historial completo y resuelva el incidente con el resultado. El importe que falta ayuda: menos el importe significa que el pago se aplicó, 0 que no.',
      ),
      'second-lacks': text(
        'Horizon shows this payment as applied, and the second source of the ledger does not. It is not signed again. Look the transaction up in an explorer. If it is there, this closes once the second source shows it. If it is not, Horizon may keep your payments to itself: tell who runs your platform.',
        'Horizon muestra este pago como aplicado, y la segunda fuente de la red no. No se firma otra vez. Busque la transacción en un explorador. Si está allí, esto se cierra cuando la segunda fuente la muestre. Si no está, puede que Horizon se quede con sus pagos: avise a quien opera su plataforma.',
      ),
      'second-differs': text(
        'Both sources of the ledger show this payment, with another result, place or time. It is not signed again. Look the transaction up in an explorer, and tell who runs your platform: one of both is wrong.',
        'Las dos fuentes de la red muestran este pago, con otro resultado, lugar u hora. No se firma otra vez. Busque la transacción en un explorador, y avise a quien opera su plataforma: una de las dos se equivoca.',
      ),
      'second-gone': text(
        'Horizon shows this payment as applied in a ledger that the second source no longer has, and someone else who was asked does not. It is not signed again. Look the transaction up in an explorer, then resolve the incident with the outcome.',
        'Horizon muestra este pago como aplicado en un ledger que la segunda fuente ya no tiene, y otro a quien se preguntó no lo muestra. No se firma otra vez. Busque la transacción en un explorador y resuelva el incidente con el resultado.',
      ),
      'unrecorded-payment': text(
        "This payment is not recorded here: it was made after the state of the database that was restored, or by someone else who has the account's key. Find what it was for in the statements of your rails and in your logs, then resolve the incident.",
        'Este pago no está registrado aquí: se hizo después del estado de la base de datos que se restauró, o lo hizo otra persona que tiene la clave de la cuenta. Busque para qué era en los extractos de sus medios de pago y en sus registros, y luego resuelva el incidente.',
      ),
      'unrecorded-deposit': text(
        'This payment was made after the restored backup. It pays a deposit. Ask the rail to report that deposit’s money again; the deposit then ends without a second payment. If the customer has paid again since, return that payment.',
        'Este pago se hizo después de la copia que se restauró. Paga un depósito. Pida al medio de pago que comunique otra vez el dinero de ese depósito; entonces termina sin un segundo pago. Si el cliente ha pagado otra vez desde entonces, devuelva ese pago.',
      ),
      restored: text(
        'This payment came before the database was restored, and no withdrawal here accepts it. Its withdrawal may have been made and paid out after the state that was restored. Look for it in the statements of your rails, then say whether it was paid out. If not, it is refunded.',
        'Este pago llegó antes de que se restaurara la base de datos, y ningún retiro de aquí lo acepta. Su retiro pudo hacerse y pagarse después del estado que se restauró. Búsquelo en los extractos de sus medios de pago y diga si se pagó. Si no, se reembolsa.',
      ),
      merged: text(
        'Another account ended in yours, and this is what it had. That is no payment, so no withdrawal accepts it. Find out whose money it is, then say whether it is settled. If not, it is sent back to that account, which it opens again.',
        'Otra cuenta terminó en la suya, y esto es lo que tenía. No es un pago, así que ningún retiro lo acepta. Averigüe de quién es el dinero y diga si está arreglado. Si no, se devuelve a esa cuenta, que se abre otra vez.',
      ),
      'merged-together': text(
        'So many accounts ended in yours that they share this incident. That is no payment, so no withdrawal accepts it. Say whether it is settled. If not, what each account had is sent back, which opens it again.',
        'Terminaron tantas cuentas en la suya que comparten este incidente. No es un pago, así que ningún retiro lo acepta. Diga si está arreglado. Si no, lo que tenía cada cuenta se devuelve, y eso la abre otra vez.',
      ),
      'settled-by-hand': text(
        'This payment proves itself now. Someone closed the incident about it before, and may have settled it by hand. Say whether it is settled. If not, it is sent back.',
        'Este pago se prueba ahora. Alguien cerró antes el incidente sobre él, y puede que lo arreglara a mano. Diga si está arreglado. Si no, se devuelve.',
      ),
      marked: text(
        'This payment came for a transaction that an operator marked as paid before. If it is the same payment, say that it was paid. If the customer paid twice, say that it was not: then it is returned.',
        'Este pago llegó para una transacción que un operador marcó antes como pagada. Si es el mismo pago, diga que se pagó. Si el cliente pagó dos veces, diga que no: entonces se devuelve.',
      ),
      'no-reference': text(
        'No transaction has the reference of this payment. Its deposit may have been made and paid on the ledger after the state that was restored. Compare it with the incidents about unrecorded payments, then say whether it was paid. If not, it is returned.',
        'Ninguna transacción tiene la referencia de este pago. Su depósito pudo hacerse y pagarse en la red después del estado que se restauró. Compárelo con los incidentes de pagos sin registrar y diga si se pagó. Si no, se devuelve.',
      ),
      'ledger-differs': text(
        'Horizon no longer has the last ledger as it was read. Nothing is read from it and nothing is paid on the ledger until it shows the same chain again, or you say that the test network was reset.',
        'Horizon ya no tiene el último ledger como se leyó. No se lee nada de él ni se paga nada en la red hasta que muestre la misma cadena otra vez, o usted diga que la red de pruebas se reinició.',
      ),
      'passphrase-differs': text(
        'Horizon answers for another network. Nothing is read from it and nothing is paid on the ledger until it answers for this one.',
        'Horizon responde por otra red. No se lee nada de él ni se paga nada en la red hasta que responda por esta.',
      ),
      'memo-return': text(
        'This payment returns one of yours: its memo names it. It is not sent back by itself, because its sender may send that back again.',
        'Este pago devuelve uno suyo: su memo lo nombra. No se devuelve por sí solo, porque su remitente puede devolverlo otra vez.',
      ),
      'answers-refund': text(
        'About as much was refunded to this sender before. It is not sent back by itself, because its sender may send that back again.',
        'A este remitente ya se le reembolsó un importe parecido. No se devuelve por sí solo, porque su remitente puede devolverlo otra vez.',
      ),
    },
    ended: {
      'transaction-applied': text('The transaction was applied.', 'La transacción se aplicó.'),
      'transaction-known': text('Its transaction is known again.', 'Su transacción se conoce otra vez.'),
      'payment-processed': text('The payment was processed.', 'El pago se procesó.'),
      'nothing-missing': text(
        'The balance equals the records: nothing is missing.',
        'El saldo es igual a los registros: no falta nada.',
      ),
      'network-reset': text('The network was reset.', 'La red se reinició.'),
      'started-over': text(
        'The server started over on the new chain.',
        'El servidor empezó de nuevo en la nueva cadena.',
      ),
      'ledger-found-again': text(
        'Horizon showed the same chain again.',
        'Horizon mostró la misma cadena otra vez.',
      ),
    } satisfies Record<(typeof incidentEndings)[number], Text>,
    open: text('Open', 'Abierto'),
    resolved: text('Resolved', 'Resuelto'),
    resolve: text('Resolve', 'Resolver'),
    details: {
      lastRead: text('Last ledger read', 'Último ledger leído'),
      elder: text('Oldest ledger that Horizon has', 'Ledger más antiguo que tiene Horizon'),
      expected: text('Balance in the journal', 'Saldo en el diario'),
      actual: text('Balance on the ledger', 'Saldo en la red'),
      difference: text('Missing amount', 'Importe que falta'),
      withdrawals: text('Withdrawals that wait for a payment', 'Retiros que esperan un pago'),
      lastLedger: text('Last ledger that was read', 'Último ledger que se leyó'),
      recorded: text('Ledger that was shown', 'Ledger que se mostró'),
      found: text('Network that answered', 'Red que respondió'),
      answers: text('Your transaction that it answers', 'Su transacción a la que responde'),
      lostBalances: text('Claimable balances lost', 'Saldos reclamables perdidos'),
      envelopes: text('Signed transactions', 'Transacciones firmadas'),
      transfers: text('Open transactions', 'Transacciones abiertas'),
      transaction: text('Ledger transaction', 'Transacción en la red'),
      payment: text('Payment ID', 'ID del pago'),
      payments: text('Payments', 'Pagos'),
      until: text('ID of the last payment', 'ID del último pago'),
      sequence: text('Sequence number', 'Número de secuencia'),
      amount: text('Amount', 'Importe'),
      error: text('Error', 'Error'),
      destination: text('Destination', 'Destino'),
      sender: text('Sender', 'Remitente'),
      closedAt: text('Ledger closed at', 'Ledger cerrado el'),
      deposit: text('Deposit ID', 'ID del depósito'),
      rail: text('Rail', 'Medio de pago'),
      reference: text('Reference', 'Referencia'),
      currency: text('Currency', 'Moneda'),
      unit: text('Unit', 'Unidad'),
      memo: text('Memo', 'Memo'),
      money: text('Money that the customer pays', 'Dinero que paga el cliente'),
      asset: text('Asset', 'Activo'),
    } as Record<string, Text>,
    list: text(
      (name: string, count: number) => `${name} (${count})`,
      (name, count) => `${name} (${count})`,
    ),
  },
  resolve: {
    failed: text('The incident was not resolved', 'El incidente no se resolvió'),
    outcome: {
      label: text('Was the payment made?', '¿Se hizo el pago?'),
      missing: text('Choose what the full history shows.', 'Elija lo que muestra el historial completo.'),
      choices: {
        applied: {
          label: text('Yes', 'Sí'),
          hint: text(
            'The transaction was applied. The payment is recorded as paid.',
            'La transacción se aplicó. El pago se registra como pagado.',
          ),
        },
        'not-applied': {
          label: text('No', 'No'),
          hint: text(
            'It was never applied. The payment is signed and sent again.',
            'Nunca se aplicó. El pago se firma y se envía otra vez.',
          ),
        },
      },
    },
    held: {
      label: text('Was the customer paid?', '¿Se pagó al cliente?'),
      missing: text('Choose what your statements show.', 'Elija lo que muestran sus extractos.'),
      choices: {
        applied: {
          label: text('Yes', 'Sí'),
          hint: text(
            'The customer received the payout or the asset. The money is kept.',
            'El cliente recibió el pago o el activo. El dinero se conserva.',
          ),
        },
        'not-applied': {
          label: text('No', 'No'),
          hint: text(
            'The customer received nothing. The money is sent back.',
            'El cliente no recibió nada. El dinero se reembolsa.',
          ),
        },
      },
    },
    cameBack: {
      label: text('Is the money settled?', '¿Está resuelto el dinero?'),
      missing: text('Choose what is to be done with the money.', 'Elija qué se hace con el dinero.'),
      choices: {
        applied: {
          label: text('Yes', 'Sí'),
          hint: text(
            'It stays with you: whose it is was paid in another way, or it is yours.',
            'Se queda con usted: a quien corresponde se le pagó de otra forma, o es suyo.',
          ),
        },
        'not-applied': {
          label: text('No', 'No'),
          hint: text('It is sent back to its sender once.', 'Se devuelve a su remitente una vez.'),
        },
      },
    },
    chain: {
      label: text('Was the test network reset?', '¿Se reinició la red de pruebas?'),
      missing: text(
        'Choose what the operators of the network say.',
        'Elija lo que dicen los operadores de la red.',
      ),
      choices: {
        applied: {
          label: text('Yes', 'Sí'),
          hint: text(
            'What was on the ledger is gone. Payments are read from the start of the new chain, and what waits is paid there.',
            'Lo que había en la red ya no existe. Los pagos se leen desde el principio de la cadena nueva, y lo pendiente se paga allí.',
          ),
        },
        'not-applied': {
          label: text('No', 'No'),
          hint: text(
            'Horizon was wrong. It is asked again, and nothing else changes.',
            'Horizon se equivocó. Se le pregunta otra vez y no cambia nada más.',
          ),
        },
      },
    },
    resolution: {
      label: text('Resolution', 'Resolución'),
      hint: text(
        'What you found and did. It is recorded with the incident.',
        'Lo que encontró y lo que hizo. Queda registrado con el incidente.',
      ),
      missing: text('Describe what you found and did.', 'Describa lo que encontró y lo que hizo.'),
    },
  },
  readAgain: {
    title: text('Read the ledger again', 'Leer la red otra vez'),
    lead: text(
      'For payments to your anchor that an explorer shows and that were never read. Payments are read from that ledger on; those that were received are not received twice. A second person approves it.',
      'Para pagos a su anchor que un explorador muestra y que nunca se leyeron. Los pagos se leen desde ese ledger; los ya recibidos no se reciben dos veces. Lo aprueba una segunda persona.',
    ),
    from: {
      label: text('First ledger', 'Primer ledger'),
      hint: text(
        'The number of the ledger of the first payment that is missing.',
        'El número del ledger del primer pago que falta.',
      ),
      invalid: text('Enter the number of a ledger.', 'Escriba el número de un ledger.'),
    },
    reason: {
      label: text('What is missing', 'Qué falta'),
      missing: text('Describe what is missing.', 'Describa qué falta.'),
    },
    send: text('Read again', 'Leer otra vez'),
    failed: text('The ledger is not read again', 'La red no se lee otra vez'),
  },
  balances: {
    title: text('Journal balances', 'Saldos del diario'),
    lead: text(
      'Positive amounts are held or receivable. Negative amounts are owed or earned.',
      'Los importes positivos se tienen o se han de cobrar. Los negativos se deben o se han ganado.',
    ),
  },
  entries: {
    title: text('Journal entries', 'Asientos del diario'),
    lead: text(
      'Every movement of money, newest first. The lines of an entry add up to zero.',
      'Cada movimiento de dinero, los más nuevos primero. Las líneas de un asiento suman cero.',
    ),
    empty: {
      title: text('No entries yet', 'Ningún asiento todavía'),
      detail: text(
        'The first payment at your anchor appears here.',
        'El primer pago en su anchor aparece aquí.',
      ),
    },
  },
  columns: {
    account: text('Account', 'Cuenta'),
    balance: text('Balance', 'Saldo'),
    at: text('Recorded', 'Registrado'),
    kind: text('Entry', 'Asiento'),
    lines: text('Lines', 'Líneas'),
  },
  kinds: {
    issue: text('Asset issued', 'Activo emitido'),
    'ledger-receipt': text('Received on the ledger', 'Recibido en la red'),
    'ledger-deposit': text('Paid on the ledger', 'Pagado en la red'),
    'ledger-refund': text('Refunded on the ledger', 'Reembolsado en la red'),
    'ledger-reclaim': text('Unclaimed balance taken back', 'Saldo no reclamado recuperado'),
    'ledger-redelivery': text('Paid on the ledger again', 'Pagado otra vez en la red'),
    'ledger-sweep': text('Sent to the cold account', 'Enviado a la cuenta fría'),
    'top-up': text('Topped up', 'Recarga'),
    deposit: text('Deposit received', 'Depósito recibido'),
    uncovered: text('Deposit to be refunded', 'Depósito por reembolsar'),
    'rail-receipt': text('Payment to be returned', 'Pago por reembolsar'),
    'rail-return': text('Returned over the rail', 'Reembolsado por el medio de pago'),
    payout: text('Withdrawal paid', 'Retiro pagado'),
    'payout-failed': text('Payout failed', 'Pago del retiro fallido'),
    'statement-line': text('Line of a statement', 'Línea de un extracto'),
    'own-money': text('Money of the business', 'Dinero del negocio'),
    reclassified: text('Moved to another account', 'Pasado a otra cuenta'),
    reversal: text('Reversal', 'Reversión'),
    'charge-passed-on': text('Charge borne by the customer', 'Cargo a cuenta del cliente'),
    manual: text('Written by people', 'Escrito por personas'),
    'bank-charge': text('Charge of a bank', 'Comisión de un banco'),
    'deposit-taken-back': text('Deposit taken back by the bank', 'Depósito retirado por el banco'),
    'dispute-deducted': text('Taken for a dispute', 'Retirado por una disputa'),
    'debt-paid': text('Debt paid', 'Deuda pagada'),
    'debt-written-off': text('Debt written off', 'Deuda dada por perdida'),
    'payout-sent-back': text('Payout sent back by the bank', 'Pago devuelto por el banco'),
    'history-gap': text('Missing history resolved', 'Historial que faltaba, resuelto'),
    'unrecorded-payment': text('Unrecorded payment on the ledger', 'Pago sin registrar en la red'),
    'settled-before': text('Settled before a restore', 'Liquidado antes de una restauración'),
    'rail-duplicate': text('Payment that was marked as paid', 'Pago que se marcó como pagado'),
    'network-reset': text('Network reset', 'Reinicio de la red'),
    opening: text('Opening balances', 'Saldos de apertura'),
  } as Record<string, Text>,
})
