import { catalogue, text } from '@windlass/ui/catalogue.ts'
import { decider } from '../decider.ts'

export const texts = catalogue({
  title: text('Velocity rules', 'Reglas de velocidad'),
  lead: text(
    'A transfer that exceeds a rule is held until you decide about it.',
    'Una transferencia que supera una regla queda retenida hasta que usted decida sobre ella.',
  ),
  add: text('Add rule', 'Añadir regla'),
  empty: {
    title: text('No rules yet', 'Aún no hay reglas'),
    detail: text(
      'Transfers are counted, and nothing is held for their number or sum.',
      'Las transferencias se cuentan, y nada se retiene por su número o suma.',
    ),
  },
  caption: text('Velocity rules', 'Reglas de velocidad'),
  columns: {
    rule: text('Held is', 'Se retiene'),
    window: text('Within', 'En'),
    actions: text('Actions', 'Acciones'),
  },
  /** What a rule holds. */
  rule: {
    'customer-count': text(
      (count: string) => `a customer’s transfer after ${count}`,
      count => `una transferencia de un cliente después de ${count}`,
    ),
    'customer-sum': text(
      (_: string, amount: string) => `what brings a customer above ${amount}`,
      (_, amount) => `lo que lleva a un cliente por encima de ${amount}`,
    ),
    'account-count': text(
      (count: string) => `a bank account’s transfer after ${count}`,
      count => `una transferencia de una cuenta bancaria después de ${count}`,
    ),
    'account-sum': text(
      (_: string, amount: string) => `what brings a bank account above ${amount}`,
      (_, amount) => `lo que lleva a una cuenta bancaria por encima de ${amount}`,
    ),
    'account-customers': text(
      (count: string) => `a transfer with a bank account of more than ${count} customers`,
      count => `una transferencia con una cuenta bancaria de más de ${count} clientes`,
    ),
    'below-limit': text(
      (count: string, amount: string) =>
        `a customer’s transfer just below ${amount}, after ${count} such transfers`,
      (count, amount) =>
        `una transferencia de un cliente justo por debajo de ${amount}, después de ${count} como ella`,
    ),
    'in-and-out': text(
      (_: string, amount: string) =>
        `a withdrawal by which a customer took out more than ${amount} of what they deposited`,
      (_, amount) => `un retiro con el que un cliente sacó más de ${amount} de lo que depositó`,
    ),
    'round-trip': text(
      (_: string, amount: string) =>
        `a transfer by which a customer brought back more than ${amount} that they moved the other way at other anchors`,
      (_, amount) =>
        `una transferencia con la que un cliente devolvió más de ${amount} que movió en sentido contrario en otros anchors`,
    ),
    'customer-accounts': text(
      (count: string) => `a transfer of a customer with more than ${count} bank accounts`,
      count => `una transferencia de un cliente con más de ${count} cuentas bancarias`,
    ),
    'customer-wallets': text(
      (count: string) => `a transfer of a customer with more than ${count} wallets`,
      count => `una transferencia de un cliente con más de ${count} billeteras`,
    ),
    'wallet-customers': text(
      (count: string) => `a transfer with a wallet of more than ${count} customers`,
      count => `una transferencia con una billetera de más de ${count} clientes`,
    ),
    'linked-sum': text(
      (_: string, amount: string) =>
        `what brings customers who share an account, a wallet or an address above ${amount} together`,
      (_, amount) =>
        `lo que lleva a clientes que comparten cuenta, billetera o domicilio por encima de ${amount} en total`,
    ),
    'after-quiet': text(
      (_: string, amount: string) =>
        `a transfer above ${amount} of a customer who was quiet for so long, but not their first`,
      (_, amount) =>
        `una transferencia de más de ${amount} de un cliente tras ese tiempo sin actividad, salvo la primera`,
    ),
    'night-count': text(
      (count: string) =>
        `a customer’s transfer between midnight and five o’clock, after ${count} such transfers`,
      count => `una transferencia de un cliente entre medianoche y las cinco, después de ${count} como ella`,
    ),
  },
  window: text(
    (hours: number) =>
      hours % 24 === 0 && hours > 24 ? `${hours / 24} days` : hours === 1 ? '1 hour' : `${hours} hours`,
    hours =>
      hours % 24 === 0 && hours > 24 ? `${hours / 24} días` : hours === 1 ? '1 hora' : `${hours} horas`,
  ),
  changed: text(
    (when: string) => `Last changed ${when}.`,
    when => `Último cambio: ${when}.`,
  ),
  remove: text('Remove', 'Quitar'),
  removeWhat: text(
    (rule: string) => `Remove the rule: ${rule}`,
    rule => `Quitar la regla: ${rule}`,
  ),
  removing: {
    title: text('Remove rule?', '¿Quitar la regla?'),
    lead: text(
      (rule: string) => `Nothing more is held by it: ${rule}. What it holds now still waits for you.`,
      rule => `Ya no retiene nada más: ${rule}. Lo que retiene ahora sigue esperando su decisión.`,
    ),
    send: text('Remove rule', 'Quitar regla'),
    failed: text('The rule was not removed', 'La regla no se quitó'),
  },
  form: {
    title: text('Add rule', 'Añadir regla'),
    kind: {
      label: text('What is counted', 'Qué se cuenta'),
      choices: {
        'customer-count': text('Number of a customer’s transfers', 'Número de transferencias de un cliente'),
        'customer-sum': text('Sum of a customer’s transfers', 'Suma de las transferencias de un cliente'),
        'account-count': text(
          'Number of transfers of a bank account',
          'Número de transferencias de una cuenta bancaria',
        ),
        'account-sum': text(
          'Sum of transfers of a bank account',
          'Suma de las transferencias de una cuenta bancaria',
        ),
        'account-customers': text(
          'Customers with the same bank account',
          'Clientes con la misma cuenta bancaria',
        ),
        'below-limit': text(
          'A customer’s transfers just below an amount',
          'Transferencias de un cliente justo por debajo de un importe',
        ),
        'in-and-out': text(
          'What a customer deposits and withdraws again',
          'Lo que un cliente deposita y vuelve a retirar',
        ),
        'round-trip': text(
          'What a customer moves here, and the other way at other anchors. Only customers who signed in at both anchors with their platform account, and gave both access, are compared. Senders of direct payments are not',
          'Lo que un cliente mueve aquí, y en sentido contrario en otros anchors. Se ve solo de clientes que iniciaron sesión en la plataforma aquí y allí y dieron acceso a ambos anchors: otros, y remitentes de pagos directos, no se ven',
        ),
        'customer-accounts': text('Bank accounts of a customer', 'Cuentas bancarias de un cliente'),
        'customer-wallets': text('Wallets of a customer', 'Billeteras de un cliente'),
        'wallet-customers': text('Customers with the same wallet', 'Clientes con la misma billetera'),
        'linked-sum': text(
          'Sum of customers who share an account, a wallet or an address',
          'Suma de clientes que comparten cuenta, billetera o domicilio',
        ),
        'after-quiet': text(
          'A large transfer after a quiet time',
          'Una gran transferencia tras un tiempo sin actividad',
        ),
        'night-count': text(
          'A customer’s transfers between midnight and five o’clock',
          'Transferencias de un cliente entre medianoche y las cinco',
        ),
      },
    },
    hours: {
      label: text('Hours', 'Horas'),
      hint: text(
        (most: string) => `Any so many hours in a row, from 1 to ${most}.`,
        most => `Cualquier número de horas seguidas, de 1 a ${most}.`,
      ),
      invalid: text(
        (most: string) => `Enter a whole number from 1 to ${most}.`,
        most => `Escriba un número entero de 1 a ${most}.`,
      ),
    },
    count: {
      label: text('Most', 'Máximo'),
      hint: text('The next one is held.', 'La siguiente se retiene.'),
      invalid: text('Enter a whole number from 1 to 10,000.', 'Escriba un número entero de 1 a 10 000.'),
    },
    amount: {
      label: text('Amount', 'Importe'),
      hint: text('What exceeds it is held.', 'Lo que lo supera se retiene.'),
      below: text(
        'Counted is what is at least nine tenths of it and less than it.',
        'Se cuenta lo que es al menos nueve décimas partes de él y menos que él.',
      ),
    },
    replay: {
      button: text('Try on the last transfers', 'Probar con las últimas transferencias'),
      failed: text('The rule was not tried', 'La regla no se probó'),
      result: text(
        (held: string, all: string) => `It would have held ${held} of the last ${all} transfers.`,
        (held, all) => `Habría retenido ${held} de las últimas ${all} transferencias.`,
      ),
    },
    send: text('Add rule', 'Añadir regla'),
    failed: text('The rule was not added', 'La regla no se añadió'),
  },
  hit: {
    title: text('Transfer beyond a rule', 'Transferencia que supera una regla'),
    name: text('Velocity rule', 'Regla de velocidad'),
    role: text('Transaction', 'Transacción'),
    rule: text('Rule', 'Regla'),
    counted: text('Counted', 'Contado'),
    figures: text(
      (count: string, amount: string) => `${count}, together ${amount}`,
      (count, amount) => `${count}, en total ${amount}`,
    ),
    figuresOfSeveral: text(
      (count: string, amount: string) => `${count} of several assets, ${amount} in this one`,
      (count, amount) => `${count} de varios activos, ${amount} en este`,
    ),
    elsewhere: text('At other anchors', 'En otros anchors'),
    transfers: text('Transfers counted', 'Transferencias contadas'),
    directions: { deposit: text('Deposit', 'Depósito'), withdrawal: text('Withdrawal', 'Retiro') },
    decision: {
      label: text('Is there an explanation?', '¿Hay una explicación?'),
      clear: {
        label: text('Yes, clear it', 'Sí, descartar'),
        hint: text('What it held continues.', 'Lo retenido continúa.'),
      },
      confirm: {
        label: text('No, confirm it', 'No, confirmar'),
        hint: text(
          `It stays held, and you can refund it. Only another ${decider.compliance} can clear it later.`,
          `Sigue retenida, y usted puede reembolsarla. Más tarde solo otra ${decider.compliance} puede descartarla.`,
        ),
      },
    },
  },
})
