import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const home = catalogue({
  title: text('Launch a Stellar anchor', 'Lance un anchor de Stellar'),
  lead: text(
    'Tell us about your company and your payment rails. Once you are approved, one click creates your asset, your domain and the servers that move money between them.',
    'Háblenos de su empresa y de sus medios de pago. Cuando se apruebe, un clic crea su activo, su dominio y los servidores que mueven el dinero entre ellos.',
  ),
  apply: text('Apply for an anchor', 'Solicitar un anchor'),
  redeem: text('Redeem an invitation', 'Canjear una invitación'),
  stagesTitle: text('Watch every step', 'Siga cada paso'),
  stages: {
    'Generating Stellar keys': text(
      'Signing, issuing and distribution keys, encrypted at rest.',
      'Claves de firma, emisión y distribución, cifradas en reposo.',
    ),
    'Funding accounts & issuing asset on Stellar': text(
      'Accounts, a trustline and your asset on the ledger.',
      'Cuentas, una línea de confianza y su activo en la red.',
    ),
    'Generating configuration files': text(
      'Your stellar.toml and the settings of your servers.',
      'Su stellar.toml y los ajustes de sus servidores.',
    ),
    'Setting up databases': text(
      'A separate database with its own role.',
      'Una base de datos propia con su propio rol.',
    ),
    'Spawning containers': text(
      'The SEP server and the business server.',
      'El servidor SEP y el servidor de negocio.',
    ),
    'Waiting for stack to be healthy': text(
      'Discovery and sign-in at your domain must succeed.',
      'El descubrimiento y el inicio de sesión en su dominio tienen que funcionar.',
    ),
    completed: text(
      'Listed for routing, so wallets can find you.',
      'Incluido en las rutas, para que las billeteras lo encuentren.',
    ),
  },
  live: {
    title: text(
      (name: string) => `${name} is open now`,
      name => `${name} está abierto ahora`,
    ),
    moves: text(
      (asset: string, rails: string) => `Deposits and withdrawals of ${asset} over ${rails}.`,
      (asset, rails) => `Depósitos y retiros de ${asset} por ${rails}.`,
    ),
    fee: text(
      (fixed: string, share: string) => `Fee: ${fixed} + ${share}.`,
      (fixed, share) => `Comisión: ${fixed} + ${share}.`,
    ),
    try: text('Open its page', 'Abrir su página'),
    details: text('Status and terms', 'Estado y condiciones'),
  },
  doors: {
    title: text('Where to begin', 'Por dónde empezar'),
    anchor: text(
      'An anchor takes money over a payment rail and gives units of an asset on Stellar for it, and the other way round.',
      'Un anchor recibe dinero por un medio de pago y entrega por él unidades de un activo en Stellar, y al revés.',
    ),
    guide: text('Guide', 'Guía'),
    guides: text('All guides', 'Todas las guías'),
    reference: text('API reference', 'Referencia de la API'),
    rails: text('Payment rails', 'Medios de pago'),
    signIn: text('Sign in', 'Iniciar sesión'),
    directory: text('Find an anchor', 'Buscar un anchor'),
    founders: {
      title: text('For founders', 'Para fundadores'),
      detail: text(
        'Run an anchor: from the application to the first customer, and each day after it.',
        'Opere un anchor: de la solicitud al primer cliente, y cada día después.',
      ),
    },
    wallets: {
      title: text('For wallets', 'Para billeteras'),
      detail: text(
        'Find the best anchor for a payment, log in there and move money. No account is needed.',
        'Encuentre el mejor anchor para un pago, inicie sesión en él y mueva dinero. No necesita cuenta.',
      ),
    },
    customers: {
      title: text('For customers', 'Para clientes'),
      detail: text(
        'See which anchors serve your country, what they charge, and how your data is kept.',
        'Vea qué anchors atienden su país, cuánto cobran y cómo se guardan sus datos.',
      ),
    },
  },
  stepsTitle: text('How it works', 'Cómo funciona'),
  steps: [
    {
      title: text('Apply', 'Solicite'),
      detail: text(
        'Takes about five minutes. The draft stays on your device until you send it.',
        'Tarda unos cinco minutos. El borrador queda en su dispositivo hasta que lo envía.',
      ),
    },
    {
      title: text('Get approved', 'Reciba la aprobación'),
      detail: text(
        'An administrator reviews it. You get an invitation by email, valid for seven days.',
        'Un administrador la revisa. Recibe por correo una invitación válida durante siete días.',
      ),
    },
    {
      title: text('Choose a subdomain', 'Elija un subdominio'),
      detail: text(
        'Redeem the invitation and watch every stage run.',
        'Canjee la invitación y siga cada etapa de la instalación.',
      ),
    },
    {
      title: text('Serve customers', 'Atienda a sus clientes'),
      detail: text(
        'Wallets sign in at your domain. A customer verified once is verified at every anchor.',
        'Las billeteras inician sesión en su dominio. Un cliente verificado una vez lo está en todos los anchors.',
      ),
    },
  ],
})
