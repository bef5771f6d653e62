import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const keys = catalogue({
  title: text('API keys', 'Claves de API'),
  lead: text(
    'For programs that call your anchor’s API. A key works for this anchor only.',
    'Para programas que llaman a la API de su anchor. Una clave sirve solo para este anchor.',
  ),
  columns: {
    name: text('Name', 'Nombre'),
    prefix: text('Prefix', 'Prefijo'),
    scopes: text('Scopes', 'Permisos'),
    lastUsed: text('Last used', 'Último uso'),
    state: text('Status', 'Estado'),
    actions: text('Actions', 'Acciones'),
  },
  create: text('Create API key', 'Crear clave de API'),
  name: {
    label: text('Name', 'Nombre'),
    hint: text(
      'What the key is for, such as “nightly export”.',
      'Para qué es la clave, como «exportación nocturna».',
    ),
    missing: text('Enter a name', 'Escriba un nombre'),
  },
  scopes: {
    label: text('Scopes', 'Permisos'),
    missing: text('Choose at least one scope', 'Elija al menos un permiso'),
    choices: {
      read: {
        label: text('Read', 'Leer'),
        hint: text(
          'Workspace, transactions, customers, quotes',
          'Espacio, transacciones, clientes, cotizaciones',
        ),
      },
      write: {
        label: text('Write', 'Escribir'),
        hint: text(
          'Personal details and files of customers. Moves no money',
          'Datos personales y archivos de clientes. No mueve dinero',
        ),
      },
      webhooks: {
        label: text('Webhooks', 'Webhooks'),
        hint: text('Endpoints and deliveries', 'Direcciones y entregas'),
      },
      statements: {
        label: text('Statements', 'Extractos'),
        hint: text(
          'Moves money: uploads bank statements, which are believed',
          'Mueve dinero: sube extractos bancarios, que se dan por ciertos',
        ),
      },
      'statement-lines': {
        label: text('Statement lines', 'Líneas de extractos'),
        hint: text(
          'Moves money: decides what a bank line was, and sends money back',
          'Mueve dinero: decide qué fue una línea del banco y devuelve dinero',
        ),
      },
      'csv-columns': {
        label: text('CSV columns', 'Columnas de CSV'),
        hint: text(
          'Moves money: says how amounts in CSV statements are read',
          'Mueve dinero: dice cómo se leen los importes de los extractos CSV',
        ),
      },
      'ledger-incidents': {
        label: text('Ledger incidents', 'Incidencias del libro'),
        hint: text(
          'Moves money: closes incidents, after which a payment may be made again',
          'Mueve dinero: cierra incidencias, tras lo cual un pago puede repetirse',
        ),
      },
      agreements: {
        label: text('Agreements', 'Acuerdos'),
        hint: text(
          'Moves money: decides which anchors may send direct payments',
          'Mueve dinero: decide qué anchors pueden enviar pagos directos',
        ),
      },
      compliance: {
        label: text('Compliance', 'Cumplimiento'),
        hint: text(
          'Hits of screening, cases, and who sends and receives. Give it to few',
          'Coincidencias, casos, y quién envía y recibe. Déselo a pocos',
        ),
      },
      payers: {
        label: text('Payers', 'Pagadores'),
        hint: text(
          'Names and accounts of those who pay and are paid by bank',
          'Nombres y cuentas de quienes pagan y cobran por banco',
        ),
      },
    },
  },
  expires: {
    label: text('Expires', 'Caduca'),
    choices: {
      never: text('Never', 'Nunca'),
      '30': text('After 30 days', 'A los 30 días'),
      '90': text('After 90 days', 'A los 90 días'),
      '365': text('After a year', 'Al año'),
    },
  },
  never: text('Never used', 'Nunca usada'),
  active: text('Active', 'Activa'),
  activeUntil: text(
    (when: string) => `Active until ${when}`,
    when => `Activa hasta el ${when}`,
  ),
  revoked: text('Revoked', 'Revocada'),
  expired: text('Expired', 'Caducada'),
  empty: {
    title: text('No API keys yet', 'Ninguna clave de API todavía'),
    detail: text(
      'Create a key to call your anchor’s API.',
      'Cree una clave para llamar a la API de su anchor.',
    ),
  },
  revealed: {
    title: text('Copy the key now', 'Copie la clave ahora'),
    detail: text(
      'The key is displayed once. We store only a hash of it.',
      'La clave se muestra una sola vez. Guardamos únicamente su hash.',
    ),
    what: text('the key', 'la clave'),
    curl: text('Try it', 'Pruébela'),
    curlWhat: text('the command', 'la orden'),
    done: text('Done', 'Listo'),
  },
  roll: text('Roll', 'Reemplazar'),
  rollWhat: text(
    (name: string) => `Roll ${name}`,
    name => `Reemplazar ${name}`,
  ),
  rollTitle: text(
    (name: string) => `Roll “${name}”`,
    name => `Reemplazar «${name}»`,
  ),
  rollLead: text(
    'Creates a replacement key with the same name and scopes. The old key keeps working for a while, so you can switch without an outage.',
    'Crea otra clave con el mismo nombre y los mismos permisos. La anterior sigue sirviendo un tiempo, para que cambie sin interrupciones.',
  ),
  overlap: {
    label: text('Old key expires', 'La clave anterior caduca'),
    choices: {
      '0': text('Immediately', 'De inmediato'),
      '3600': text('After an hour', 'Al cabo de una hora'),
      '86400': text('After a day', 'Al cabo de un día'),
      '604800': text('After a week', 'Al cabo de una semana'),
    },
  },
  confirmRoll: text('Create replacement key', 'Crear la clave nueva'),
  revoke: text('Revoke', 'Revocar'),
  revokeWhat: text(
    (name: string) => `Revoke ${name}`,
    name => `Revocar ${name}`,
  ),
  revokeTitle: text(
    (name: string) => `Revoke “${name}”`,
    name => `Revocar «${name}»`,
  ),
  revokeLead: text(
    'Programs that use the key lose access immediately. This cannot be undone.',
    'Los programas que usan la clave pierden el acceso de inmediato. No se puede deshacer.',
  ),
  typeName: {
    label: text(
      (name: string) => `Type ${name} to confirm`,
      name => `Escriba ${name} para confirmar`,
    ),
    wrong: text('The name does not match', 'El nombre no coincide'),
  },
  confirmRevoke: text('Revoke key', 'Revocar la clave'),
  failed: text('The key was not changed', 'La clave no se cambió'),
})
