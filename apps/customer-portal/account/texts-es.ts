import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const account: Translation<typeof english.account> = {
  title: 'Identidad',
  signedInAs: email => `Sesión iniciada como ${email}`,
  statuses: {
    NEEDS_INFO: 'Sin verificar',
    PROCESSING: 'En revisión',
    ACCEPTED: 'Verificada',
    REJECTED: 'Rechazada',
  },
  next: {
    NEEDS_INFO:
      'Verifique su identidad para depositar y retirar. Necesita un documento de identidad y una cámara.',
    PROCESSING: 'El proveedor de identidad está revisando sus datos. Esta página se actualiza sola.',
    ACCEPTED: 'Puede depositar y retirar en todos los anchors. No tiene que hacer nada.',
    REJECTED:
      'No se pudo verificar su identidad. Compruebe que su documento es válido y legible, y reintente.',
  },
  verifiedAt: when => `Verificada el ${when}`,
  start: {
    NEEDS_INFO: 'Verificar la identidad',
    PROCESSING: 'Continuar con el proveedor',
    REJECTED: 'Reintentar',
  },
  startFailed: 'La verificación de identidad no empezó',
  access: {
    title: 'Quién ve sus datos',
    rows: [
      ['Proveedor de identidad', 'Su documento y sus fotos, para verificarlos.'],
      [
        'Windlass',
        'Su correo electrónico, el resultado de la verificación con el nombre de su documento y sus billeteras vinculadas.',
      ],
      [
        'Anchors que usa',
        'El resultado de la verificación con el nombre de su documento, que comparan con listas de sanciones, y lo que escribe en sus páginas.',
      ],
    ],
  },
  anchors: {
    title: 'Anchors que usa',
    lead: 'Pueden ver el resultado de su verificación de identidad y el nombre de su documento, porque inició sesión en ellos.',
    columns: { name: 'Empresa', domain: 'Dominio', since: 'Primer uso', actions: 'Acceso' },
    withdraw: 'Retirar',
    withdrawFrom: name => `Retirar el acceso de ${name}`,
    withdrawTitle: 'Retirar el acceso',
    withdrawLead:
      'Este anchor ya no podrá leer aquí el resultado de su verificación ni sus billeteras. Conserva sus propios registros sobre usted y sus transacciones, como le exige la ley. Para devolverle el acceso, inicie sesión en él otra vez con un código.',
    withdrawFailed: 'El acceso no se retiró',
    empty: { title: 'Ninguno todavía', detail: 'Un anchor aparece aquí cuando inicia sesión en él.' },
  },
  deletion: {
    title: 'Eliminar su cuenta',
    lead: 'Elimina su correo electrónico, el resultado de la verificación, sus billeteras, el acceso de los anchors y sus sesiones.',
    kept: 'Los anchors y el proveedor de identidad conservan lo que les exige la ley, como los registros de sus transacciones. El registro de auditoría conserva el número de su cuenta sin su nombre.',
    action: 'Eliminar la cuenta',
    sent: email => `Enviamos un código a ${email}. Escríbalo para eliminar su cuenta. No se puede deshacer.`,
    code: {
      label: 'Código',
      missing: 'Escriba los seis dígitos del correo',
      refused: 'El código es incorrecto, ya se usó o ha caducado.',
    },
    confirm: 'Eliminar definitivamente',
    failed: 'Su cuenta no se eliminó',
  },
  download: {
    title: 'Sus datos',
    lead: 'Su perfil, el resultado de la verificación, sus billeteras, anchors y sesiones, como archivo JSON.',
    action: 'Descargar sus datos',
    file: 'datos-windlass.json',
    failed: 'Sus datos no se descargaron',
  },
}

export const wallets: Translation<typeof english.wallets> = {
  title: 'Billeteras',
  lead: 'Cuentas de Stellar que le pertenecen. Los anchors reconocen una billetera cuando demuestra que es suya.',
  columns: {
    address: 'Dirección',
    label: 'Etiqueta',
    network: 'Red',
    status: 'Estado',
    actions: 'Acciones',
  },
  proven: 'Demostrada',
  unproven: 'Sin demostrar',
  empty: { title: 'Ninguna billetera todavía', detail: 'Vincule la dirección de una cuenta de Stellar.' },
  link: {
    title: 'Vincular billetera',
    address: 'Dirección',
    addressHint: 'Empieza por G y tiene 56 caracteres.',
    addressMissing: 'Escriba la dirección de su billetera',
    addressWrong: 'Escriba una dirección de 56 caracteres que empiece por G',
    label: 'Etiqueta',
    labelHint: 'Como «Teléfono».',
    submit: 'Vincular billetera',
    failed: 'La billetera no se vinculó',
  },
  prove: {
    action: 'Demostrar',
    actionOf: name => `Demostrar ${name}`,
    title: 'Demuestre que la billetera es suya',
    sign: 'Firme esta transacción con su billetera y pegue abajo la transacción firmada. Nunca se envía a la red, así que no cuesta ni mueve nada.',
    passphrase: 'Frase de la red',
    transaction: 'Transacción que debe firmar',
    transactionCopy: 'la transacción',
    signed: 'Transacción firmada',
    signedMissing: 'Pegue la transacción firmada',
    submit: 'Enviar la prueba',
    failed: 'La prueba no se aceptó',
  },
  unlink: {
    action: 'Desvincular',
    actionOf: name => `Desvincular ${name}`,
    title: 'Desvincular billetera',
    lead: 'Los anchors dejan de reconocer esta billetera. Su dinero sigue donde está. Puede volver a vincularla.',
    submit: 'Desvincular billetera',
    failed: 'La billetera no se desvinculó',
  },
}

export const anchorAccounts: Translation<typeof english.anchorAccounts> = {
  title: 'Inicios de sesión en anchors',
  lead: 'Billeteras y cuentas que iniciaron sesión en un anchor con su correo. Una que espera no cuenta para nada hasta que usted la confirme.',
  columns: {
    account: 'Cuenta',
    anchor: 'Anchor',
    since: 'Inició sesión',
    status: 'Estado',
    actions: 'Acciones',
  },
  memo: memo => `Memo ${memo}`,
  waiting: 'En espera',
  confirmed: 'Confirmada',
  failed: 'No se pudieron cargar las cuentas',
  confirm: {
    action: 'Confirmar',
    actionOf: name => `Confirmar ${name}`,
    title: 'Confirme esta billetera',
    lead: (anchor, domain) =>
      `Confírmela solo si usted mismo abrió ${domain} y esta es su propia billetera. Quien la use podrá depositar y retirar en su nombre, y ${anchor} podrá leer el resultado de su verificación de identidad.`,
    submit: 'Confirmar billetera',
    failed: 'La billetera no se confirmó',
  },
  remove: {
    action: 'Quitar',
    actionOf: name => `Quitar ${name}`,
    title: 'Quitar esta billetera',
    lead: 'Los anchors no tratan esta billetera como suya. Su dinero sigue donde está. Puede volver a iniciar sesión con un código de su correo, y entonces le espera a usted.',
    submit: 'Quitar billetera',
    failed: 'La billetera no se quitó',
  },
}

export const removeWallet: Translation<typeof english.removeWallet> = {
  title: 'Quitar una billetera',
  lead: 'Los anchors dejan de tratar esta billetera como suya. Su dinero sigue donde está.',
  memo: memo => `Memo ${memo}`,
  submit: 'Quitar billetera',
  failed: 'La billetera no se quitó',
  wallets: 'Sus billeteras',
  done: {
    title: 'Quitada',
    detail:
      '¿Otra persona usó su correo? Inicie sesión, cierre las sesiones que no conozca y retire el acceso de los anchors que no use.',
  },
  gone: {
    title: 'Este enlace ya no sirve',
    detail: 'Se usó, ha caducado o no está completo. Inicie sesión para ver y quitar sus billeteras.',
  },
}
