import type { Settlement } from '@windlass/contracts/aggregator/registry.ts'
import { catalogue, text, type Text } from '@windlass/ui/catalogue.ts'

export const directory = catalogue({
  title: text('Anchors', 'Anchors'),
  lead: text(
    'Every anchor that wallets find here: its status, assets, payment methods and fees.',
    'Todos los anchors que las billeteras encuentran aquí: su estado, activos, medios de pago y comisiones.',
  ),
  columns: {
    anchor: text('Anchor', 'Anchor'),
    assets: text('Assets', 'Activos'),
    rails: text('Payment methods', 'Medios de pago'),
    fee: text('Fee', 'Comisión'),
    status: text('Status', 'Estado'),
  },
  coverage: {
    title: text('Where money moves now', 'Dónde se mueve dinero ahora'),
    country: text('Country', 'País'),
    anchors: text(
      (count: number) => (count === 1 ? '1 anchor' : `${count} anchors`),
      count => (count === 1 ? '1 anchor' : `${count} anchors`),
    ),
    more: text(
      (count: number) => (count === 1 ? 'And 1 more country.' : `And ${count} more countries.`),
      count => (count === 1 ? 'Y 1 país más.' : `Y ${count} países más.`),
    ),
  },
  available: text('Available', 'Disponible'),
  unavailable: text('Unavailable', 'No disponible'),
  external: text('External', 'Externo'),
  fee: text(
    (fixed: string, percentage: string) => `${fixed} + ${percentage}`,
    (fixed, percentage) => `${fixed} + ${percentage}`,
  ),
  unknown: text('Unknown', 'Desconocido'),
  empty: {
    title: text('No anchors yet', 'Ningún anchor todavía'),
    detail: text(
      'Anchors appear here once they are active.',
      'Los anchors aparecen aquí cuando están activos.',
    ),
    filtered: text('No anchor is available now', 'Ningún anchor está disponible ahora'),
  },
  register: {
    action: text('Register an anchor', 'Registrar un anchor'),
    title: text('Register an anchor', 'Registrar un anchor'),
    lead: text(
      'Any Stellar anchor can be listed. We do what a wallet would do there: read its discovery file, ask for a login challenge, read its terms and ask for a price.',
      'Se puede incluir cualquier anchor de Stellar. Hacemos lo que haría una billetera: leer su archivo de descubrimiento, pedir un reto de inicio de sesión, leer sus condiciones y pedir un precio.',
    ),
    domain: {
      label: text('Home domain', 'Dominio'),
      hint: text(
        'Where its stellar.toml is, such as anchor.example.com',
        'Donde está su stellar.toml, como anchor.example.com',
      ),
      wrong: text(
        'Enter a domain such as anchor.example.com, without https://',
        'Escriba un dominio como anchor.example.com, sin https://',
      ),
    },
    submit: text('Register', 'Registrar'),
    failed: text('The anchor was not registered', 'El anchor no se registró'),
    done: text(
      (domain: string) => `${domain} is listed.`,
      domain => `${domain} está en la lista.`,
    ),
    view: text('View anchor', 'Ver el anchor'),
  },
  anchor: {
    all: text('All anchors', 'Todos los anchors'),
    externalNotice: {
      title: text('External anchor', 'Anchor externo'),
      detail: text(
        'Nobody at this platform has approved it, and what follows are its own statements. Wallets are routed to it only when they ask for external anchors.',
        'Nadie de esta plataforma lo ha aprobado, y lo que sigue son sus propias declaraciones. Las billeteras llegan a él solo cuando piden anchors externos.',
      ),
    },
    now: text('Status now', 'Estado actual'),
    checked: text('Last checked', 'Última comprobación'),
    network: { verified: text('Verified', 'Verificado'), unverified: text('Not verified', 'Sin verificar') },
    facts: {
      domain: text('Home domain', 'Dominio'),
      verified: text('Domain', 'Propiedad del dominio'),
      assets: text('Assets', 'Activos'),
      issuer: text(
        (code: string) => `Issuer of ${code}`,
        code => `Emisor de ${code}`,
      ),
      rails: text('Payment methods', 'Medios de pago'),
      regions: text('Countries', 'Países'),
      limits: text('Limits', 'Límites'),
      fee: text('Fee', 'Comisión'),
      prices: text('Prices', 'Precios'),
      settlement: text('Settlement', 'Liquidación'),
      standards: text('Standards', 'Estándares'),
      unknown: text('Not stated', 'No declarado'),
    },
    range: text(
      (min: string, max: string, code: string) => `${min} to ${max} ${code}`,
      (min, max, code) => `De ${min} a ${max} ${code}`,
    ),
    settlements: {
      instant: text('Instant', 'Inmediata'),
      under_60_minutes: text('Within 60 minutes', 'En menos de 60 minutos'),
      unknown: text('Unknown', 'Desconocida'),
    } satisfies Record<Settlement | 'unknown', Text> as Record<string, Text>,
    price: text(
      (price: string, currency: string, code: string) => `1 ${code} = ${price} ${currency}`,
      (price, currency, code) => `1 ${code} = ${price} ${currency}`,
    ),
    sep: text(
      (number: number) => `SEP-${number}`,
      number => `SEP-${number}`,
    ),
    checks: {
      title: text('Latest checks', 'Últimas comprobaciones'),
      lead: text(
        'What a wallet would do, every few minutes.',
        'Lo que haría una billetera, cada pocos minutos.',
      ),
      own: text('Answers of the anchor’s server.', 'Respuestas del servidor del anchor.'),
      columns: {
        at: text('Time', 'Hora'),
        result: text('Result', 'Resultado'),
        latency: text('Latency', 'Latencia'),
        steps: text('Steps', 'Pasos'),
      },
      ok: text('Passed', 'Superada'),
      failed: text(
        (why: string) => `Failed: ${why}`,
        why => `Fallida: ${why}`,
      ),
      empty: text('No checks yet', 'Ninguna comprobación todavía'),
    },
    steps: {
      file: text('Discovery file', 'Archivo de descubrimiento'),
      challenge: text('Login challenge', 'Reto de inicio de sesión'),
      info: text('Terms', 'Condiciones'),
      start: text('Start of a deposit', 'Inicio de un depósito'),
      price: text('Price', 'Precio'),
    },
    step: text(
      (name: string, ms: string, failure: string | undefined) =>
        failure === undefined ? `${name} ${ms}` : `${name} ${ms} (${failure})`,
      (name, ms, failure) => (failure === undefined ? `${name} ${ms}` : `${name} ${ms} (${failure})`),
    ),
    latency: {
      title: text('Response time of the latest checks', 'Tiempo de respuesta de las últimas comprobaciones'),
      words: text(
        (typical: string, slowest: string) => `typically ${typical}, at most ${slowest}`,
        (typical, slowest) => `normalmente ${typical}, como máximo ${slowest}`,
      ),
    },
    milliseconds: text(
      (ms: number) => `${ms} ms`,
      ms => `${ms} ms`,
    ),
  },
})
