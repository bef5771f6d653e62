import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export { availability } from '@windlass/ui/console/availability-texts-es.ts'

export const directory: Translation<typeof english.directory> = {
  title: 'Anchors',
  lead: 'Todos los anchors que las billeteras encuentran aquí: su estado, activos, medios de pago y comisiones.',
  columns: {
    anchor: 'Anchor',
    assets: 'Activos',
    rails: 'Medios de pago',
    fee: 'Comisión',
    status: 'Estado',
  },
  available: 'Disponible',
  unavailable: 'No disponible',
  external: 'Externo',
  fee: (fixed, percentage) => `${fixed} + ${percentage}`,
  unknown: 'Desconocido',
  empty: {
    title: 'Ningún anchor todavía',
    detail: 'Los anchors aparecen aquí cuando están activos.',
    filtered: 'Ningún anchor está disponible ahora',
  },
  register: {
    action: 'Registrar un anchor',
    title: 'Registrar un anchor',
    lead: 'Se puede incluir cualquier anchor de Stellar. Hacemos lo que haría una billetera: leer su archivo de descubrimiento, pedir un reto de inicio de sesión, leer sus condiciones y pedir un precio.',
    domain: {
      label: 'Dominio',
      hint: 'Donde está su stellar.toml, como anchor.example.com',
      wrong: 'Escriba un dominio como anchor.example.com, sin https://',
    },
    submit: 'Registrar',
    failed: 'El anchor no se registró',
    done: domain => `${domain} está en la lista.`,
    view: 'Ver el anchor',
  },
  anchor: {
    all: 'Todos los anchors',
    externalNotice: {
      title: 'Anchor externo',
      detail:
        'Nadie de esta plataforma lo ha aprobado, y lo que sigue son sus propias declaraciones. Las billeteras llegan a él solo cuando piden anchors externos.',
    },
    now: 'Estado actual',
    checked: 'Última comprobación',
    network: { verified: 'Verificado', unverified: 'Sin verificar' },
    facts: {
      domain: 'Dominio',
      verified: 'Propiedad del dominio',
      assets: 'Activos',
      issuer: code => `Emisor de ${code}`,
      rails: 'Medios de pago',
      regions: 'Países',
      limits: 'Límites',
      fee: 'Comisión',
      prices: 'Precios',
      settlement: 'Liquidación',
      standards: 'Estándares',
      unknown: 'No declarado',
    },
    range: (min, max, code) => `De ${min} a ${max} ${code}`,
    settlements: {
      instant: 'Inmediata',
      under_60_minutes: 'En menos de 60 minutos',
      unknown: 'Desconocida',
    },
    price: (price, currency, code) => `1 ${code} = ${price} ${currency}`,
    sep: number => `SEP-${number}`,
    checks: {
      title: 'Últimas comprobaciones',
      lead: 'Lo que haría una billetera, cada pocos minutos.',
      own: 'Respuestas del servidor del anchor.',
      columns: { at: 'Hora', result: 'Resultado', latency: 'Latencia', steps: 'Pasos' },
      ok: 'Superada',
      failed: why => `Fallida: ${why}`,
      empty: 'Ninguna comprobación todavía',
    },
    steps: {
      file: 'Archivo de descubrimiento',
      challenge: 'Reto de inicio de sesión',
      info: 'Condiciones',
      price: 'Precio',
    },
    step: (name, ms, failure) => (failure === undefined ? `${name} ${ms}` : `${name} ${ms} (${failure})`),
    milliseconds: ms => `${ms} ms`,
  },
}
