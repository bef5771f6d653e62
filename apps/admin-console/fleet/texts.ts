import { catalogue, text } from '@windlass/ui/catalogue.ts'
import { anchorStatuses, platformChanges } from '@windlass/ui/console/anchor-texts.ts'

export const fleet = catalogue({
  title: text('Fleet', 'Flota'),
  lead: text(
    'Every anchor of this platform, newest first.',
    'Todos los anchors de esta plataforma, los más nuevos primero.',
  ),
  status: anchorStatuses,
  asleep: text('Asleep', 'En reposo'),
  asleepHint: text(
    'Nobody uses it, so its servers are stopped. The next request, payment or due work starts them.',
    'Nadie lo usa, así que sus servidores están detenidos. La próxima solicitud, pago o tarea pendiente los arranca.',
  ),
  columns: {
    anchor: text('Home domain', 'Dominio'),
    organization: text('Organization', 'Organización'),
    asset: text('Asset', 'Activo'),
    availability: text('Availability', 'Disponibilidad'),
    capacity: text('Available liquidity', 'Liquidez disponible'),
    status: text('Status', 'Estado'),
  },
  up: text('Up', 'En marcha'),
  down: text('Down', 'Caído'),
  notRegistered: text('Not in routing', 'Fuera de las rutas'),
  empty: {
    title: text('No anchors yet', 'Ningún anchor todavía'),
    detail: text(
      'An anchor is created when a founder redeems an invitation.',
      'Un anchor se crea cuando un fundador canjea una invitación.',
    ),
    filtered: text('No anchor has this status', 'Ningún anchor tiene este estado'),
  },
  fields: {
    id: text('Anchor ID', 'ID del anchor'),
    organization: text('Organization', 'Organización'),
    asset: text('Asset', 'Activo'),
    issuer: text('Issuing account', 'Cuenta emisora'),
    rails: text('Rails', 'Medios de pago'),
    regions: text('Countries served', 'Países atendidos'),
    capacity: text('Available liquidity', 'Liquidez disponible'),
    differences: text('Differs for wallets', 'Distinto para las billeteras'),
    created: text('Created', 'Creado'),
    activated: text('Active since', 'Activo desde'),
    asleep: text('Asleep since', 'En reposo desde'),
    reason: text('Reason', 'Motivo'),
    job: text('Provisioning job', 'Trabajo de instalación'),
  },
  differences: {
    price: text(
      (percent: string) =>
        `Wallets pay ${percent} more than its terms say. Routing counts it as a share of the rate.`,
      percent =>
        `Las billeteras pagan un ${percent} más de lo que dicen sus condiciones. Las rutas lo cuentan como parte del tipo de cambio.`,
    ),
    start: text(
      (failure: string) => `Wallets cannot start a deposit (${failure}). Its uptime score is 0.`,
      failure =>
        `Las billeteras no pueden iniciar un depósito (${failure}). Su puntuación de disponibilidad es 0.`,
    ),
    since: text(
      (time: string) => `Since ${time}`,
      time => `Desde el ${time}`,
    ),
  },
  registryDown: text(
    'The aggregator does not respond. Availability is unknown.',
    'El agregador no responde. Se desconoce la disponibilidad.',
  ),
  suspend: text('Suspend', 'Suspender'),
  resume: text('Resume', 'Reanudar'),
  suspendHint: text(
    'Its servers stop and it leaves routing. Keys and data are kept.',
    'Sus servidores se detienen y sale de las rutas. Se conservan las claves y los datos.',
  ),
  reason: {
    label: text('Reason', 'Motivo'),
    hint: text(
      'Shown in the audit log and to the organization.',
      'Se muestra en el registro de auditoría y a la organización.',
    ),
    missing: text('Enter a reason', 'Escriba un motivo'),
  },
  confirmSuspend: text('Suspend anchor', 'Suspender el anchor'),
  failed: text('The anchor was not changed', 'El anchor no se cambió'),
  openJob: text('View job', 'Ver el trabajo'),
  upgrades: {
    title: text('Software', 'Software'),
    unknown: text('Version unknown', 'Versión desconocida'),
    becomes: text('to', 'a'),
    states: {
      waiting: text('Waiting', 'En espera'),
      starting: text('Starting new servers', 'Iniciando los servidores nuevos'),
      switching: text('Switching over', 'Cambiando'),
      succeeded: text('Upgraded', 'Actualizado'),
      failed: text('Rolled back', 'Revertido'),
    },
    start: text('Upgrade', 'Actualizar'),
    lead: text(
      'New servers start beside the old ones and take over once they are healthy. If they do not become healthy, the old servers continue.',
      'Los servidores nuevos arrancan junto a los anteriores y los relevan cuando responden bien. Si no lo consiguen, siguen los anteriores.',
    ),
    version: {
      label: text('Version', 'Versión'),
      hint: text(
        'The platform’s own version by default, or the name of a release.',
        'La de la plataforma si queda vacío, o el nombre de una versión.',
      ),
    },
    image: {
      label: text('Image', 'Imagen'),
      hint: text(
        'For anchors in containers: the image of both servers.',
        'Para anchors en contenedores: la imagen de ambos servidores.',
      ),
    },
    confirm: text('Start upgrade', 'Empezar la actualización'),
    failed: text('The upgrade did not start', 'La actualización no empezó'),
  },
  removal: {
    title: text('Removal', 'Eliminación'),
    start: text('Remove anchor', 'Eliminar el anchor'),
    lead: text(
      'Suspends the anchor, exports its data, then deletes its servers, its database and its registry entry permanently. Its keys are kept.',
      'Suspende el anchor, exporta sus datos y elimina definitivamente sus servidores, su base de datos y su entrada en el registro. Sus claves se conservan.',
    ),
    force: {
      label: text('What may be left behind', 'Lo que puede quedar'),
      choices: [
        {
          value: text('force', 'force'),
          label: text(
            'Remove the anchor with transfers open',
            'Eliminar el anchor con transacciones abiertas',
          ),
          hint: text('Customers may have payments in progress.', 'Puede haber clientes con pagos en curso.'),
        },
        {
          value: text('units', 'units'),
          label: text(
            'Leave units of existing assets in its account',
            'Dejar unidades de activos existentes en su cuenta',
          ),
          hint: text(
            'No server can pay them out afterwards. The founder can take them out first.',
            'Después ningún servidor puede pagarlas. El fundador puede retirarlas antes.',
          ),
        },
      ],
    },
    confirmName: {
      label: text(
        (subdomain: string) => `Type ${subdomain} to confirm`,
        subdomain => `Escriba ${subdomain} para confirmar`,
      ),
      wrong: text('The subdomain does not match', 'El subdominio no coincide'),
    },
    confirm: text('Remove permanently', 'Eliminar definitivamente'),
    states: {
      requested: text('Removal requested', 'Eliminación solicitada'),
      exporting: text('Exporting data', 'Exportando los datos'),
      withdrawing: text('Export verified, leaving routing', 'Exportación verificada, saliendo de las rutas'),
      dropping: text('Deleting the database', 'Eliminando la base de datos'),
      done: text('Removed', 'Eliminado'),
      refused: text('Not removed. The anchor stays suspended.', 'No eliminado. El anchor sigue suspendido.'),
    },
    rows: text('Rows exported', 'Filas exportadas'),
    checksum: text('SHA-256', 'SHA-256'),
    download: text(
      (size: string) => `Download export (${size})`,
      size => `Descargar la exportación (${size})`,
    ),
    failed: text('The removal did not start', 'La eliminación no empezó'),
  },
  events: {
    title: text('Platform events', 'Eventos de la plataforma'),
    kinds: platformChanges,
  },
})
