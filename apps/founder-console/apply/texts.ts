import { catalogue, text } from '@windlass/ui/catalogue.ts'
import type { ApplyStep } from '../paths.ts'

const steps = {
  company: {
    title: text('Company', 'Empresa'),
    lead: text(
      'Who operates the anchor, and how we contact you.',
      'Quién opera el anchor y cómo le contactamos.',
    ),
  },
  asset: {
    title: text('Asset', 'Activo'),
    lead: text(
      'The asset your anchor serves. Empty fields use our defaults.',
      'El activo de su anchor. Los campos vacíos usan nuestros valores.',
    ),
  },
  rails: {
    title: text('Rails and fees', 'Medios de pago y comisiones'),
    lead: text(
      'Which payment rails you use, what you charge and how fast payments arrive.',
      'Qué medios de pago usa, qué cobra y con qué rapidez llegan los pagos.',
    ),
  },
  compliance: {
    title: text('Compliance', 'Cumplimiento'),
    lead: text(
      'Where you are licensed and which countries you serve.',
      'Dónde tiene licencia y qué países atiende.',
    ),
  },
  check: {
    title: text('Check and send', 'Revisar y enviar'),
    lead: text(
      'Review your answers. You can still change each of them.',
      'Revise sus respuestas. Todavía puede cambiar cada una.',
    ),
  },
} satisfies Record<ApplyStep, { title: string; lead: string }>

export const apply = catalogue({
  documentTitle: text(
    (step: string) => `${step} – Apply`,
    step => `${step} – Solicitud`,
  ),
  steps,
  stepOf: text(
    (position: number, all: number) => `Step ${position} of ${all}`,
    (position, all) => `Paso ${position} de ${all}`,
  ),
  tasks: text('Your application', 'Su solicitud'),
  taskStates: {
    done: text('Completed', 'Completado'),
    open: text('Optional', 'Opcional'),
    needed: text('To do', 'Pendiente'),
    error: text('Has errors', 'Con errores'),
  },
  draftSaved: text(
    (time: string) => `Draft saved on this device at ${time}`,
    time => `Borrador guardado en este dispositivo a las ${time}`,
  ),
  draftRestored: text(
    (time: string) => `Draft from ${time} restored`,
    time => `Borrador de las ${time} recuperado`,
  ),
  draftNotKept: text(
    'This browser does not keep drafts. Your answers are lost when you close the page.',
    'Este navegador no guarda borradores. Sus respuestas se pierden al cerrar la página.',
  ),
  discard: text('Discard draft', 'Descartar el borrador'),
  next: text('Save and continue', 'Guardar y continuar'),
  back: text('Back', 'Atrás'),
  fields: {
    'companyProfile.name': {
      label: text('Company name', 'Nombre de la empresa'),
      hint: text('As registered.', 'Como está registrado.'),
    },
    'companyProfile.businessEmail': {
      label: text('Business email', 'Correo de la empresa'),
      hint: text(
        'Receives the invitation. You sign in with it later.',
        'Recibe la invitación. Después inicia sesión con él.',
      ),
    },
    'companyProfile.contactName': { label: text('Contact person', 'Persona de contacto'), hint: '' },
    'companyProfile.country': {
      label: text('Country of registration', 'País de registro'),
      hint: text(
        'We propose the rail, the currency and the countries that fit. You can change each.',
        'Proponemos el medio de pago, la moneda y los países adecuados. Puede cambiar cada uno.',
      ),
    },
    'companyProfile.website': { label: text('Website', 'Sitio web'), hint: '' },
    'companyProfile.registrationNumber': {
      label: text('Registration number', 'Número de registro'),
      hint: '',
    },
    'asset.kind': { label: text('What your anchor serves', 'Qué ofrece su anchor'), hint: '' },
    'stellarConfig.assetCode': {
      label: text('Asset code', 'Código del activo'),
      hint: text(
        '1 to 12 letters and digits, such as USDX. If empty, we derive it from your subdomain.',
        'De 1 a 12 letras y dígitos, como USDX. Si queda vacío, lo tomamos de su subdominio.',
      ),
    },
    'stellarConfig.assets.0.issuer': {
      label: text('Issuer', 'Emisor'),
      hint: text('The account (G…) that issues the asset.', 'La cuenta (G…) que emite el activo.'),
    },
    'stellarConfig.assetName': {
      label: text('Asset name', 'Nombre del activo'),
      hint: text(
        'Displayed by wallets, such as “Acme Dollar”.',
        'Lo muestran las billeteras, como «Acme Dollar».',
      ),
    },
    'stellarConfig.anchoredTo': {
      label: text('Pegged to', 'Vinculado a'),
      hint: text(
        'USD, or a currency that one of your rails moves.',
        'USD o una moneda que mueva uno de sus medios de pago.',
      ),
    },
    'paymentRails.rails': {
      label: text('Payment rails', 'Medios de pago'),
      hint: text(
        'Choose every rail you can send and receive on.',
        'Elija todos los medios por los que puede enviar y recibir.',
      ),
    },
    'paymentRails.settlement': { label: text('Settlement time', 'Plazo de liquidación'), hint: '' },
    'paymentRails.fee.fixed': {
      label: text('Fixed fee', 'Comisión fija'),
      hint: text(
        'For each transaction, in units of your asset.',
        'Por cada transacción, en unidades de su activo.',
      ),
    },
    'paymentRails.fee.percentage': {
      label: text('Percentage fee', 'Comisión porcentual'),
      hint: text('Of the amount.', 'Del importe.'),
    },
    'paymentRails.limits.min': {
      label: text('Minimum amount', 'Importe mínimo'),
      hint: text('In units of your asset.', 'En unidades de su activo.'),
    },
    'paymentRails.limits.max': {
      label: text('Maximum amount', 'Importe máximo'),
      hint: text('In units of your asset.', 'En unidades de su activo.'),
    },
    'compliance.jurisdiction': { label: text('Licensed in', 'Licencia en'), hint: '' },
    'compliance.licenseNumber': { label: text('Licence number', 'Número de licencia'), hint: '' },
    'compliance.regions': {
      label: text('Countries served', 'Países atendidos'),
      hint: '',
    },
  },
  assetKinds: {
    own: {
      label: text('My own asset', 'Un activo propio'),
      hint: text(
        'Your anchor issues it, backed by what customers pay in.',
        'Su anchor lo emite, respaldado por lo que pagan los clientes.',
      ),
    },
    existing: {
      label: text('An asset that exists', 'Un activo existente'),
      hint: text(
        'Such as USDC or EURC. You buy what you pay out.',
        'Como USDC o EURC. Usted compra lo que entrega.',
      ),
    },
  },
  addAsset: text('Add an asset', 'Añadir un activo'),
  credentials: {
    title: text('Rail credentials', 'Credenciales de los medios de pago'),
    provider: text('Provider', 'Proveedor'),
    lead: text(
      'The accounts your customers pay to. Optional on a test network. They are stored in the secrets store, not in the draft, and are never displayed again.',
      'Las cuentas a las que pagan sus clientes. Opcionales en una red de pruebas. Van al almacén de secretos, no al borrador, y no se vuelven a ver.',
    ),
  },
  feeExample: text(
    (fee: string, amount: string) => `The fee for a transfer of ${amount} is ${fee}.`,
    (fee, amount) => `La comisión de una transferencia de ${amount} es ${fee}.`,
  ),
  rails: {
    UPI: text('Unified Payments Interface, India', 'Unified Payments Interface, India'),
    IMPS: text('Immediate Payment Service, India', 'Immediate Payment Service, India'),
    NEFT: text('National Electronic Funds Transfer, India', 'National Electronic Funds Transfer, India'),
    SEPA: text('Single Euro Payments Area', 'Zona única de pagos en euros'),
    ACH: text('Automated Clearing House, United States', 'Automated Clearing House, Estados Unidos'),
  },
  settlements: {
    instant: {
      label: text('Instant', 'Inmediato'),
      hint: text(
        'Gets the highest speed score in routing.',
        'Recibe la mayor puntuación de rapidez en las rutas.',
      ),
    },
    under_60_minutes: { label: text('Within 60 minutes', 'En menos de 60 minutos'), hint: '' },
  },
  errors: {
    countryMissing: text('Choose the country of registration', 'Elija el país de registro'),
    railsMissing: text('Choose at least one payment rail', 'Elija al menos un medio de pago'),
    regionsMissing: text('Choose at least one country', 'Elija al menos un país'),
    pegWrong: text(
      (peg: string, rails: string) =>
        `None of your rails (${rails}) moves ${peg}. Choose another currency, or a rail that moves it`,
      (peg, rails) =>
        `Ninguno de sus medios de pago (${rails}) mueve ${peg}. Elija otra moneda o un medio que la mueva`,
    ),
    nameMissing: text('Enter the company name', 'Escriba el nombre de la empresa'),
    emailMissing: text('Enter the business email', 'Escriba el correo de la empresa'),
    emailWrong: text(
      'Enter an email address such as name@company.example',
      'Escriba un correo electrónico como nombre@empresa.example',
    ),
    websiteWrong: text(
      'Enter a web address such as https://company.example',
      'Escriba una dirección web como https://empresa.example',
    ),
    assetCodeWrong: text(
      'An asset code has 1 to 12 letters and digits',
      'Un código de activo tiene de 1 a 12 letras y dígitos',
    ),
    issuerWrong: text('Enter an account (G…)', 'Indique una cuenta (G…)'),
    assetTwice: text('This asset is in the list already', 'Este activo ya está en la lista'),
    amountWrong: text(
      (what: string, why: string) => `${what}: ${why}`,
      (what, why) => `${what}: ${why}`,
    ),
    percentageWrong: text(
      'Percentage fee: enter a number from 0 to 100',
      'Comisión porcentual: escriba un número de 0 a 100',
    ),
    limitsCrossed: text(
      'The maximum amount must not be below the minimum',
      'El importe máximo no puede ser menor que el mínimo',
    ),
    tooLong: text(
      (what: string, most: number) => `${what}: use at most ${most} characters`,
      (what, most) => `${what}: use como máximo ${most} caracteres`,
    ),
    credentialWrong: text(
      (what: string, why: string) => `${what} ${why}`,
      (what, why) => `${what}: ${why}`,
    ),
  },
})

export type FieldName = keyof typeof apply.fields
