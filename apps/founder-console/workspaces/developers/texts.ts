import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const developers = catalogue({
  title: text('Developers', 'Desarrollo'),
  lead: text(
    'Call your anchor from your own systems, and see what wallets see.',
    'Llame a su anchor desde sus propios sistemas y vea lo que ven las billeteras.',
  ),
  key: text('Create an API key', 'Crear una clave de API'),
  webhooks: text('Manage webhooks', 'Gestionar los webhooks'),
  document: text('OpenAPI document', 'Documento OpenAPI'),
  reference: {
    title: text('API reference', 'Referencia de la API'),
    lead: text(
      'Every operation of your anchor’s API. Open one to read about it and to send it with your own key.',
      'Todas las operaciones de la API de su anchor. Abra una para leer sobre ella y enviarla con su propia clave.',
    ),
    scopes: text('Scopes of the key:', 'Permisos de la clave:'),
    parameters: text('Parameters', 'Parámetros'),
    body: text('Request body', 'Cuerpo de la solicitud'),
    answers: text('Answers', 'Respuestas'),
    required: text('required', 'obligatorio'),
    explorer: text('Try it', 'Probar'),
    key: text('API key', 'Clave de API'),
    keyHint: text(
      'Sent to your anchor with this request. It is not saved anywhere.',
      'Se envía a su anchor con esta solicitud. No se guarda en ningún sitio.',
    ),
    keyMissing: text('Enter an API key of this anchor', 'Escriba una clave de API de este anchor'),
    bodyWrong: text('The request body is not valid JSON', 'El cuerpo de la solicitud no es JSON válido'),
    parameterMissing: text(
      (name: string) => `Enter ${name}`,
      name => `Escriba ${name}`,
    ),
    send: text(
      (method: string) => `Send ${method} request`,
      method => `Enviar la solicitud ${method}`,
    ),
    command: text('the curl command', 'la orden de curl'),
    failed: text('The request was not sent', 'La solicitud no se envió'),
    headers: text('Headers of the answer', 'Cabeceras de la respuesta'),
    answer: text('Body of the answer', 'Cuerpo de la respuesta'),
    empty: text('(no body)', '(sin cuerpo)'),
    file: text('(a file, which is not shown here)', '(un archivo, que no se muestra aquí)'),
    cut: text('Only the first MiB is shown.', 'Solo se muestra el primer MiB.'),
  },
  examples: {
    code: text('the code', 'el código'),
    yourKey: text('your API key', 'su clave de API'),
    read: text('Read transactions', 'Leer transacciones'),
    webhook: text('Receive events', 'Recibir eventos'),
    webhookScope: text(
      'with a key that has the scope webhooks',
      'con una clave que tenga el permiso webhooks',
    ),
    wallet: text('Connect a wallet', 'Conectar una billetera'),
    discovery: text('See what wallets read', 'Ver lo que leen las billeteras'),
  },
})

export const testDeposit = catalogue({
  title: text('Test deposit', 'Depósito de prueba'),
  lead: text(
    'A test wallet goes through SEP-1, SEP-10 and SEP-24 at your anchor and pays over a simulated rail.',
    'Una billetera de prueba recorre SEP-1, SEP-10 y SEP-24 en su anchor y paga por un medio de pago simulado.',
  ),
  start: text('Run test deposit', 'Hacer un depósito de prueba'),
  failed: text('The test deposit did not start', 'El depósito de prueba no empezó'),
  unavailable: text(
    'Test deposits run on test networks, at anchors with a simulated rail.',
    'Los depósitos de prueba funcionan en redes de prueba, en anchors con un medio de pago simulado.',
  ),
  empty: {
    title: text('No test deposit yet', 'Ningún depósito de prueba todavía'),
    detail: text(
      'Run one to see each request of a wallet and your anchor’s answer.',
      'Haga uno para ver cada solicitud de una billetera y la respuesta de su anchor.',
    ),
  },
  states: {
    waiting: text('Waiting', 'En espera'),
    running: text('Running', 'En curso'),
    completed: text('Completed', 'Completado'),
    failed: text('Failed', 'Fallido'),
  },
  started: text(
    (when: string) => `Started ${when}`,
    when => `Iniciado el ${when}`,
  ),
  failure: text('The deposit was not completed', 'El depósito no se completó'),
  amount: text('Amount', 'Importe'),
  amountOver: text(
    (amount: string, code: string, rail: string) => `${amount} ${code} over ${rail}`,
    (amount, code, rail) => `${amount} ${code} por ${rail}`,
  ),
  wallet: text('Test wallet', 'Billetera de prueba'),
  transaction: text('Transaction', 'Transacción'),
  see: text('See transaction', 'Ver la transacción'),
  steps: {
    discovery: text('Discovery (SEP-1)', 'Descubrimiento (SEP-1)'),
    login: text('Login (SEP-10)', 'Inicio de sesión (SEP-10)'),
    wallet: text('Account and trustline on the ledger', 'Cuenta y línea de confianza en la red'),
    deposit: text('Deposit request (SEP-24)', 'Solicitud de depósito (SEP-24)'),
    pages: text('Your anchor’s pages', 'Las páginas de su anchor'),
    payment: text('Payment and completion', 'Pago y finalización'),
  },
  noAnswer: text('No answer', 'Sin respuesta'),
  address: text('Address', 'Dirección'),
  body: text('Request body', 'Cuerpo de la solicitud'),
  answer: text('Answer', 'Respuesta'),
  emptyAnswer: text('Empty', 'Vacía'),
})
