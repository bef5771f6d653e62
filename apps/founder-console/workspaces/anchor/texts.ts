import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const walletChecks = catalogue({
  title: text('Wallet compatibility', 'Compatibilidad con billeteras'),
  lead: text(
    'Once a day Windlass checks your anchor from outside, as a new wallet would.',
    'Una vez al día Windlass comprueba su anchor desde fuera, como haría una billetera nueva.',
  ),
  passed: text(
    (passed: number, checks: number) =>
      passed === checks ? `All ${checks} checks passed` : `${passed} of ${checks} checks passed`,
    (passed, checks) =>
      passed === checks
        ? `Superadas las ${checks} comprobaciones`
        : `Superadas ${passed} de ${checks} comprobaciones`,
  ),
  checked: text(
    (when: string) => `Checked ${when}`,
    when => `Comprobado ${when}`,
  ),
  none: text('Not checked yet', 'Sin comprobar todavía'),
  check: text('Check now', 'Comprobar ahora'),
  checking: text('Checking…', 'Comprobando…'),
  failed: text('The check did not start', 'La comprobación no empezó'),
  failedChecks: text('Failed checks', 'Comprobaciones fallidas'),
  found: text('Found', 'Encontrado'),
  sep: text(
    (number: string) => `SEP-${number}`,
    number => `SEP-${number}`,
  ),
  all: text('All checks', 'Todas las comprobaciones'),
  state: { passed: text('Passed', 'Superada'), failed: text('Failed', 'Fallida') },
})

export const signing = catalogue({
  title: text('Signing', 'Firma'),
  lead: text(
    'Your anchor’s servers have no keys: the signer signs their payments within these limits.',
    'Los servidores de su anchor no tienen claves: el firmante firma sus pagos dentro de estos límites.',
  ),
  change: text('Change limits', 'Cambiar los límites'),
  save: text('Save limits', 'Guardar los límites'),
  failed: text('The limits were not changed', 'Los límites no se cambiaron'),
  perHour: {
    label: text('Per hour', 'Por hora'),
    hint: text(
      'Payments beyond it wait until older ones are an hour old. With 0 all wait.',
      'Los pagos que lo superan esperan a que los anteriores tengan una hora. Con 0 esperan todos.',
    ),
  },
  perPayment: {
    label: text('Per payment', 'Por pago'),
    hint: text('Leave it empty for no limit of its own.', 'Déjelo vacío para no fijar un límite propio.'),
  },
  xlmPerHour: {
    label: text('XLM per hour', 'XLM por hora'),
    hint: text('For XLM that customers sent by mistake.', 'Para XLM que los clientes enviaron por error.'),
  },
  destinations: {
    label: text('Destinations', 'Destinos'),
    hint: text(
      'The only accounts that may be paid, one in a line. Leave it empty for any account.',
      'Las únicas cuentas a las que se puede pagar, una por línea. Déjelo vacío para cualquier cuenta.',
    ),
    invalid: text('Enter accounts that begin with G or C.', 'Escriba cuentas que empiecen por G o C.'),
  },
  used: text(
    (signed: string, limit: string) => `${signed} of ${limit} signed in the last hour`,
    (signed, limit) => `${signed} de ${limit} firmados en la última hora`,
  ),
  none: text('No limit', 'Sin límite'),
  any: text('Any account', 'Cualquier cuenta'),
  stopped: text('Stopped requests', 'Solicitudes detenidas'),
  nothingStopped: text('None in the last 30 days', 'Ninguna en los últimos 30 días'),
  servers: {
    sep: text('SEP server', 'servidor SEP'),
    business: text('business server', 'servidor de negocio'),
  },
  requests: text(
    (count: number, server: string, when: string) =>
      `${count} ${count === 1 ? 'request' : 'requests'} of the ${server}, last ${when}`,
    (count, server, when) =>
      `${count} ${count === 1 ? 'solicitud' : 'solicitudes'} del ${server}, la última el ${when}`,
  ),
})

export const waitingActs = catalogue({
  title: text('Waits for a second person', 'Espera a una segunda persona'),
  requested: text(
    (name: string, act: string, at: string) => `${name} asked on ${at}: “${act}”.`,
    (name, act, at) => `${name} lo pidió el ${at}: «${act}».`,
  ),
  own: text(
    'Another person who may do it approves it. If there is none, you can after a day.',
    'Lo aprueba otra persona que puede hacerlo. Si no hay ninguna, usted puede después de un día.',
  ),
  ends: text(
    (at: string) => `It lets more money out than before. It is gone on ${at}.`,
    at => `Deja salir más dinero que antes. Desaparece el ${at}.`,
  ),
  approve: text('Approve', 'Aprobar'),
  reject: text('Reject', 'Rechazar'),
  takeBack: text('Take back', 'Retirar'),
  failed: text('It was not done', 'No se hizo'),
})

export const exportKey = catalogue({
  title: text('Key of the export', 'Clave de la exportación'),
  lead: text(
    'If the anchor is ever removed, its data is exported. This key opens names, accounts and documents in it without the platform.',
    'Si alguna vez se elimina el anchor, sus datos se exportan. Esta clave abre en ellos nombres, cuentas y documentos sin la plataforma.',
  ),
  none: text(
    'No key is set: only the platform can open them.',
    'No hay clave: solo la plataforma puede abrirlos.',
  ),
  change: text('Set export key', 'Fijar la clave'),
  how: text(
    'Make a key in a clone of Windlass. It writes the private key into a file, which you keep, and prints the public key.',
    'Cree una clave en un clon de Windlass. La clave privada queda en un archivo, que usted guarda, y se muestra la pública.',
  ),
  label: text('Public key', 'Clave pública'),
  hint: text('43 characters. Leave it empty for no key.', '43 caracteres. Déjelo vacío para no tener clave.'),
  invalid: text(
    'Enter the public key that the command printed.',
    'Escriba la clave pública que mostró el comando.',
  ),
  save: text('Save key', 'Guardar la clave'),
  failed: text('The key was not set', 'La clave no se fijó'),
})
