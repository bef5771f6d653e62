import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const keys: Translation<typeof english.keys> = {
  title: 'Claves de API',
  lead: 'Para programas que llaman a la API de su anchor. Una clave sirve solo para este anchor.',
  columns: {
    name: 'Nombre',
    prefix: 'Prefijo',
    scopes: 'Permisos',
    lastUsed: 'Último uso',
    state: 'Estado',
    actions: 'Acciones',
  },
  create: 'Crear clave de API',
  name: {
    label: 'Nombre',
    hint: 'Para qué es la clave, como «exportación nocturna».',
    missing: 'Escriba un nombre',
  },
  scopes: {
    label: 'Permisos',
    missing: 'Elija al menos un permiso',
    choices: {
      read: { label: 'Leer', hint: 'Espacio, transacciones, clientes, cotizaciones' },
      write: { label: 'Escribir', hint: 'Datos personales y archivos de clientes. No mueve dinero' },
      webhooks: { label: 'Webhooks', hint: 'Direcciones y entregas' },
      statements: {
        label: 'Extractos',
        hint: 'Mueve dinero: sube extractos bancarios, que se dan por ciertos',
      },
      'statement-lines': {
        label: 'Líneas de extractos',
        hint: 'Mueve dinero: decide qué fue una línea del banco y devuelve dinero',
      },
      'csv-columns': {
        label: 'Columnas de CSV',
        hint: 'Mueve dinero: dice cómo se leen los importes de los extractos CSV',
      },
      'ledger-incidents': {
        label: 'Incidencias del libro',
        hint: 'Mueve dinero: cierra incidencias, tras lo cual un pago puede repetirse',
      },
      agreements: {
        label: 'Acuerdos',
        hint: 'Mueve dinero: decide qué anchors pueden enviar pagos directos',
      },
    },
  },
  expires: {
    label: 'Caduca',
    choices: { never: 'Nunca', '30': 'A los 30 días', '90': 'A los 90 días', '365': 'Al año' },
  },
  never: 'Nunca usada',
  active: 'Activa',
  activeUntil: when => `Activa hasta el ${when}`,
  revoked: 'Revocada',
  expired: 'Caducada',
  empty: {
    title: 'Ninguna clave de API todavía',
    detail: 'Cree una clave para llamar a la API de su anchor.',
  },
  revealed: {
    title: 'Copie la clave ahora',
    detail: 'La clave se muestra una sola vez. Guardamos únicamente su hash.',
    what: 'la clave',
    curl: 'Pruébela',
    curlWhat: 'la orden',
    done: 'Listo',
  },
  roll: 'Reemplazar',
  rollWhat: name => `Reemplazar ${name}`,
  rollTitle: name => `Reemplazar «${name}»`,
  rollLead:
    'Crea otra clave con el mismo nombre y los mismos permisos. La anterior sigue sirviendo un tiempo, para que cambie sin interrupciones.',
  overlap: {
    label: 'La clave anterior caduca',
    choices: {
      '0': 'De inmediato',
      '3600': 'Al cabo de una hora',
      '86400': 'Al cabo de un día',
      '604800': 'Al cabo de una semana',
    },
  },
  confirmRoll: 'Crear la clave nueva',
  revoke: 'Revocar',
  revokeWhat: name => `Revocar ${name}`,
  revokeTitle: name => `Revocar «${name}»`,
  revokeLead: 'Los programas que usan la clave pierden el acceso de inmediato. No se puede deshacer.',
  typeName: {
    label: name => `Escriba ${name} para confirmar`,
    wrong: 'El nombre no coincide',
  },
  confirmRevoke: 'Revocar la clave',
  failed: 'La clave no se cambió',
}
