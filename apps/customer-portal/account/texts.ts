import type { KycStatus } from '@windlass/contracts/platform/kyc.ts'
import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const account = catalogue({
  title: text('Identity', 'Identidad'),
  signedInAs: text(
    (email: string) => `Signed in as ${email}`,
    email => `Sesión iniciada como ${email}`,
  ),
  statuses: {
    NEEDS_INFO: text('Not verified', 'Sin verificar'),
    PROCESSING: text('Pending review', 'En revisión'),
    ACCEPTED: text('Verified', 'Verificada'),
    REJECTED: text('Rejected', 'Rechazada'),
  } satisfies Record<KycStatus, string>,
  next: {
    NEEDS_INFO: text(
      'Verify your identity to deposit and withdraw. You need an identity document and a camera.',
      'Verifique su identidad para depositar y retirar. Necesita un documento de identidad y una cámara.',
    ),
    PROCESSING: text(
      'The identity provider is reviewing your data. This page updates automatically.',
      'El proveedor de identidad está revisando sus datos. Esta página se actualiza sola.',
    ),
    ACCEPTED: text(
      'You can deposit and withdraw at every anchor. You do not have to do anything.',
      'Puede depositar y retirar en todos los anchors. No tiene que hacer nada.',
    ),
    REJECTED: text(
      'Your identity could not be verified. Check that your document is valid and readable, then retry.',
      'No se pudo verificar su identidad. Compruebe que su documento es válido y legible, y reintente.',
    ),
  } satisfies Record<KycStatus, string>,
  verifiedAt: text(
    (when: string) => `Verified on ${when}`,
    when => `Verificada el ${when}`,
  ),
  start: {
    NEEDS_INFO: text('Verify identity', 'Verificar la identidad'),
    PROCESSING: text('Continue at the provider', 'Continuar con el proveedor'),
    REJECTED: text('Retry', 'Reintentar'),
  },
  startFailed: text('The identity check did not start', 'La verificación de identidad no empezó'),
  access: {
    title: text('Who sees your data', 'Quién ve sus datos'),
    rows: [
      [
        text('Identity provider', 'Proveedor de identidad'),
        text('Your document and photos, to verify them.', 'Su documento y sus fotos, para verificarlos.'),
      ],
      [
        text('Windlass', 'Windlass'),
        text(
          'Your email address, the result of the check with the name on your document, and your linked wallets.',
          'Su correo electrónico, el resultado de la verificación con el nombre de su documento y sus billeteras vinculadas.',
        ),
      ],
      [
        text('Anchors you use', 'Anchors que usa'),
        text(
          'The result of the check with the name on your document, which they compare with sanctions lists, and what you enter on their pages.',
          'El resultado de la verificación con el nombre de su documento, que comparan con listas de sanciones, y lo que escribe en sus páginas.',
        ),
      ],
    ],
  },
  anchors: {
    title: text('Anchors you use', 'Anchors que usa'),
    lead: text(
      'They may see the result of your identity check and the name on your document, because you signed in there.',
      'Pueden ver el resultado de su verificación de identidad y el nombre de su documento, porque inició sesión en ellos.',
    ),
    columns: {
      name: text('Company', 'Empresa'),
      domain: text('Domain', 'Dominio'),
      since: text('First used', 'Primer uso'),
      actions: text('Access', 'Acceso'),
    },
    withdraw: text('Withdraw', 'Retirar'),
    withdrawFrom: text(
      (name: string) => `Withdraw the access of ${name}`,
      name => `Retirar el acceso de ${name}`,
    ),
    withdrawTitle: text('Withdraw access', 'Retirar el acceso'),
    withdrawLead: text(
      'This anchor can no longer read the result of your identity check or your wallets here. It keeps its own records of you and your transactions, as the law asks of it. Sign in there again with a code to give the access back.',
      'Este anchor ya no podrá leer aquí el resultado de su verificación ni sus billeteras. Conserva sus propios registros sobre usted y sus transacciones, como le exige la ley. Para devolverle el acceso, inicie sesión en él otra vez con un código.',
    ),
    withdrawFailed: text('The access was not withdrawn', 'El acceso no se retiró'),
    empty: {
      title: text('None yet', 'Ninguno todavía'),
      detail: text(
        'An anchor appears here once you sign in there.',
        'Un anchor aparece aquí cuando inicia sesión en él.',
      ),
    },
  },
  deletion: {
    title: text('Delete your account', 'Eliminar su cuenta'),
    lead: text(
      'Deletes your email address, the result of the identity check, your wallets, the access of anchors and your sessions.',
      'Elimina su correo electrónico, el resultado de la verificación, sus billeteras, el acceso de los anchors y sus sesiones.',
    ),
    kept: text(
      'Anchors and the identity provider keep what the law asks of them, such as records of your transactions. The audit log keeps the number of your account without your name.',
      'Los anchors y el proveedor de identidad conservan lo que les exige la ley, como los registros de sus transacciones. El registro de auditoría conserva el número de su cuenta sin su nombre.',
    ),
    action: text('Delete account', 'Eliminar la cuenta'),
    sent: text(
      (email: string) =>
        `We sent a code to ${email}. Enter it to delete your account. This cannot be undone.`,
      email => `Enviamos un código a ${email}. Escríbalo para eliminar su cuenta. No se puede deshacer.`,
    ),
    code: {
      label: text('Code', 'Código'),
      missing: text('Enter the six digits from the email', 'Escriba los seis dígitos del correo'),
      refused: text(
        'The code is wrong, already used or expired.',
        'El código es incorrecto, ya se usó o ha caducado.',
      ),
    },
    confirm: text('Delete permanently', 'Eliminar definitivamente'),
    failed: text('Your account was not deleted', 'Su cuenta no se eliminó'),
  },
  download: {
    title: text('Your data', 'Sus datos'),
    lead: text(
      'Your profile, the result of the check, your wallets, anchors and sessions, as a JSON file.',
      'Su perfil, el resultado de la verificación, sus billeteras, anchors y sesiones, como archivo JSON.',
    ),
    action: text('Download your data', 'Descargar sus datos'),
    file: text('windlass-data.json', 'datos-windlass.json'),
    failed: text('Your data was not downloaded', 'Sus datos no se descargaron'),
  },
})

export const wallets = catalogue({
  title: text('Wallets', 'Billeteras'),
  lead: text(
    'Stellar accounts that belong to you. Anchors recognize a wallet once you prove that it is yours.',
    'Cuentas de Stellar que le pertenecen. Los anchors reconocen una billetera cuando demuestra que es suya.',
  ),
  columns: {
    address: text('Address', 'Dirección'),
    label: text('Label', 'Etiqueta'),
    network: text('Network', 'Red'),
    status: text('Status', 'Estado'),
    actions: text('Actions', 'Acciones'),
  },
  proven: text('Proven', 'Demostrada'),
  unproven: text('Not proven', 'Sin demostrar'),
  empty: {
    title: text('No wallets yet', 'Ninguna billetera todavía'),
    detail: text('Link the address of a Stellar account.', 'Vincule la dirección de una cuenta de Stellar.'),
  },
  link: {
    title: text('Link wallet', 'Vincular billetera'),
    address: text('Address', 'Dirección'),
    addressHint: text('Starts with G and has 56 characters.', 'Empieza por G y tiene 56 caracteres.'),
    addressMissing: text('Enter the address of your wallet', 'Escriba la dirección de su billetera'),
    addressWrong: text(
      'Enter an address with 56 characters that starts with G',
      'Escriba una dirección de 56 caracteres que empiece por G',
    ),
    label: text('Label', 'Etiqueta'),
    labelHint: text('Such as “Phone”.', 'Como «Teléfono».'),
    submit: text('Link wallet', 'Vincular billetera'),
    failed: text('The wallet was not linked', 'La billetera no se vinculó'),
  },
  prove: {
    action: text('Prove', 'Demostrar'),
    actionOf: text(
      (name: string) => `Prove ${name}`,
      name => `Demostrar ${name}`,
    ),
    title: text('Prove that the wallet is yours', 'Demuestre que la billetera es suya'),
    scan: text('Scan this with the wallet on your phone.', 'Escanee esto con la billetera de su teléfono.'),
    openWallet: text('Open a wallet on this device', 'Abrir una billetera en este dispositivo'),
    freighter: text('Sign with Freighter', 'Firmar con Freighter'),
    sign: text(
      'Or sign this transaction with any wallet, then paste the signed transaction below. It is never submitted to the ledger, so it costs nothing and moves nothing.',
      'O firme esta transacción con cualquier billetera y pegue abajo la transacción firmada. Nunca se envía a la red, así que no cuesta ni mueve nada.',
    ),
    passphrase: text('Network passphrase', 'Frase de la red'),
    transaction: text('Transaction to sign', 'Transacción que debe firmar'),
    transactionCopy: text('the transaction', 'la transacción'),
    signed: text('Signed transaction', 'Transacción firmada'),
    signedMissing: text('Paste the signed transaction', 'Pegue la transacción firmada'),
    submit: text('Submit proof', 'Enviar la prueba'),
    failed: text('The proof was not accepted', 'La prueba no se aceptó'),
  },
  unlink: {
    action: text('Unlink', 'Desvincular'),
    actionOf: text(
      (name: string) => `Unlink ${name}`,
      name => `Desvincular ${name}`,
    ),
    title: text('Unlink wallet', 'Desvincular billetera'),
    lead: text(
      'Anchors no longer recognize this wallet. Its money stays where it is. You can link it again.',
      'Los anchors dejan de reconocer esta billetera. Su dinero sigue donde está. Puede volver a vincularla.',
    ),
    submit: text('Unlink wallet', 'Desvincular billetera'),
    failed: text('The wallet was not unlinked', 'La billetera no se desvinculó'),
  },
})

export const anchorAccounts = catalogue({
  title: text('Signed in at anchors', 'Inicios de sesión en anchors'),
  lead: text(
    'Wallets and accounts that signed in at an anchor with your email address. One that waits cannot be used until you confirm it.',
    'Billeteras y cuentas que iniciaron sesión en un anchor con su correo. Una que espera no se puede usar hasta que usted la confirme.',
  ),
  columns: {
    account: text('Account', 'Cuenta'),
    anchor: text('Anchor', 'Anchor'),
    since: text('Signed in', 'Inició sesión'),
    status: text('Status', 'Estado'),
    actions: text('Actions', 'Acciones'),
  },
  memo: text(
    (memo: string) => `Memo ${memo}`,
    memo => `Memo ${memo}`,
  ),
  waiting: text('Waiting', 'En espera'),
  confirmed: text('Confirmed', 'Confirmada'),
  failed: text('The accounts could not be loaded', 'No se pudieron cargar las cuentas'),
  confirm: {
    action: text('Confirm', 'Confirmar'),
    actionOf: text(
      (name: string) => `Confirm ${name}`,
      name => `Confirmar ${name}`,
    ),
    title: text('Confirm this wallet', 'Confirme esta billetera'),
    lead: text(
      (anchor: string, domain: string) =>
        `Confirm it only if you opened ${domain} yourself and this is your own wallet. Anyone who uses it can then deposit and withdraw in your name, and ${anchor} can read the result of your identity check.`,
      (anchor, domain) =>
        `Confírmela solo si usted mismo abrió ${domain} y esta es su propia billetera. Quien la use podrá depositar y retirar en su nombre, y ${anchor} podrá leer el resultado de su verificación de identidad.`,
    ),
    submit: text('Confirm wallet', 'Confirmar billetera'),
    failed: text('The wallet was not confirmed', 'La billetera no se confirmó'),
  },
  remove: {
    action: text('Remove', 'Quitar'),
    actionOf: text(
      (name: string) => `Remove ${name}`,
      name => `Quitar ${name}`,
    ),
    title: text('Remove this wallet', 'Quitar esta billetera'),
    lead: text(
      'Anchors do not treat this wallet as yours. Its money stays where it is. It can sign in again with a code from your mailbox, and then waits for you.',
      'Los anchors no tratan esta billetera como suya. Su dinero sigue donde está. Puede volver a iniciar sesión con un código de su correo, y entonces le espera a usted.',
    ),
    submit: text('Remove wallet', 'Quitar billetera'),
    failed: text('The wallet was not removed', 'La billetera no se quitó'),
  },
})

export const removeWallet = catalogue({
  title: text('Remove a wallet', 'Quitar una billetera'),
  lead: text(
    'Anchors then no longer treat this wallet as yours. Its money stays where it is.',
    'Los anchors dejan de tratar esta billetera como suya. Su dinero sigue donde está.',
  ),
  memo: text(
    (memo: string) => `Memo ${memo}`,
    memo => `Memo ${memo}`,
  ),
  submit: text('Remove wallet', 'Quitar billetera'),
  failed: text('The wallet was not removed', 'La billetera no se quitó'),
  wallets: text('Your wallets', 'Sus billeteras'),
  done: {
    title: text('Removed', 'Quitada'),
    detail: text(
      'Did someone else use your email address? Sign in, end the sessions that you do not know, and withdraw the access of anchors that you do not use.',
      '¿Otra persona usó su correo? Inicie sesión, cierre las sesiones que no conozca y retire el acceso de los anchors que no use.',
    ),
  },
  gone: {
    title: text('This link does not work any more', 'Este enlace ya no sirve'),
    detail: text(
      'It was used, has expired or is not complete. Sign in to see and remove your wallets.',
      'Se usó, ha caducado o no está completo. Inicie sesión para ver y quitar sus billeteras.',
    ),
  },
})
