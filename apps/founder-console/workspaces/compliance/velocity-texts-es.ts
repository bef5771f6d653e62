import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './velocity-texts.ts'

export const velocity: Translation<typeof english.texts> = {
  title: 'Reglas de velocidad',
  lead: 'Una transferencia que supera una regla queda retenida hasta que usted decida sobre ella.',
  add: 'Añadir regla',
  empty: {
    title: 'Aún no hay reglas',
    detail: 'Las transferencias se cuentan, y nada se retiene por su número o suma.',
  },
  caption: 'Reglas de velocidad',
  columns: { rule: 'Se retiene', window: 'En', actions: 'Acciones' },
  rule: {
    'customer-count': count => `una transferencia de un cliente después de ${count}`,
    'customer-sum': (_, amount) => `lo que lleva a un cliente por encima de ${amount}`,
    'account-count': count => `una transferencia de una cuenta bancaria después de ${count}`,
    'account-sum': (_, amount) => `lo que lleva a una cuenta bancaria por encima de ${amount}`,
    'account-customers': count => `una transferencia con una cuenta bancaria de más de ${count} clientes`,
    'below-limit': (count, amount) =>
      `una transferencia de un cliente justo por debajo de ${amount}, después de ${count} como ella`,
    'in-and-out': (_, amount) => `un retiro con el que un cliente sacó más de ${amount} de lo que depositó`,
  },
  window: hours =>
    hours % 24 === 0 && hours > 24 ? `${hours / 24} días` : hours === 1 ? '1 hora' : `${hours} horas`,
  changed: when => `Último cambio: ${when}.`,
  remove: 'Quitar',
  removeWhat: rule => `Quitar la regla: ${rule}`,
  removing: {
    title: '¿Quitar la regla?',
    lead: rule => `Ya no retiene nada más: ${rule}. Lo que retiene ahora sigue esperando su decisión.`,
    send: 'Quitar regla',
    failed: 'La regla no se quitó',
  },
  form: {
    title: 'Añadir regla',
    kind: {
      label: 'Qué se cuenta',
      choices: {
        'customer-count': 'Número de transferencias de un cliente',
        'customer-sum': 'Suma de las transferencias de un cliente',
        'account-count': 'Número de transferencias de una cuenta bancaria',
        'account-sum': 'Suma de las transferencias de una cuenta bancaria',
        'account-customers': 'Clientes con la misma cuenta bancaria',
        'below-limit': 'Transferencias de un cliente justo por debajo de un importe',
        'in-and-out': 'Lo que un cliente deposita y vuelve a retirar',
      },
    },
    hours: {
      label: 'Horas',
      hint: 'Cualquier número de horas seguidas, de 1 a 720 (30 días).',
      invalid: 'Escriba un número entero de 1 a 720.',
    },
    count: {
      label: 'Máximo',
      hint: 'La siguiente se retiene.',
      invalid: 'Escriba un número entero de 1 a 10 000.',
    },
    amount: {
      label: 'Importe',
      hint: 'Lo que lo supera se retiene.',
      below: 'Se cuenta lo que es al menos nueve décimas partes de él y menos que él.',
    },
    send: 'Añadir regla',
    failed: 'La regla no se añadió',
  },
  hit: {
    title: 'Transferencia que supera una regla',
    name: 'Regla de velocidad',
    role: 'Transacción',
    rule: 'Regla',
    counted: 'Contado',
    figures: (count, amount) => `${count}, en total ${amount}`,
    figuresOfSeveral: (count, amount) => `${count} de varios activos, ${amount} en este`,
    transfers: 'Transferencias contadas',
    directions: { deposit: 'Depósito', withdrawal: 'Retiro' },
    decision: {
      label: '¿Hay una explicación?',
      clear: { label: 'Sí, descartar', hint: 'Lo retenido continúa.' },
      confirm: {
        label: 'No, confirmar',
        hint: 'Sigue retenida, y usted puede reembolsarla. Más tarde solo otro propietario o administrador puede descartarla.',
      },
    },
  },
}
