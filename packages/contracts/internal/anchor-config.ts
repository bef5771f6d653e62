import Type, { type Static } from 'typebox'
import { AnchorPlan } from './anchor-plan.ts'

/**
 * `anchor.json`: the settings of an anchor's two servers that are not secret. The control plane writes it in the stage
 * "Generating configuration files"; secrets are in files of their own beside it.
 */
export const AnchorConfig = Type.Object({
  plan: AnchorPlan,
  /** `issuer` issues the first asset (`native`: it is XLM); it is not the anchor's where the plan names it. */
  accounts: Type.Object({ issuer: Type.String(), distribution: Type.String(), signing: Type.String() }),
  /** `http://mumbai.anchors.localhost`: what wallets reach, without a trailing slash. */
  publicUrl: Type.String(),
  network: Type.Object({
    passphrase: Type.String(),
    horizonUrl: Type.String(),
    /** Horizon as this machine's services reach it; people and wallets use `horizonUrl`. */
    ledgerUrl: Type.Optional(Type.String()),
    /** Where people see what is on the ledger: `<explorer>/tx/<hash>`, or `#/transaction/<hash>` of the local network. */
    explorer: Type.Optional(Type.String()),
    /** Addresses of a test network, as browsers reach them: people try a deposit there with an account of their own making. */
    browsers: Type.Optional(
      Type.Object({
        horizonUrl: Type.String(),
        /** The faucet that opens accounts. */
        friendbotUrl: Type.String(),
      }),
    ),
    /** The contract with which contract accounts log in (SEP-45) and are paid; absent: they cannot. */
    contractLogin: Type.Optional(
      Type.Object({
        /** Stellar RPC, which simulates the login, and the call that pays. */
        rpcUrl: Type.String(),
        /** `C…`: the web authentication contract. */
        contract: Type.String(),
      }),
    ),
  }),
  /** Where the platform API is reached from an anchor. */
  platformUrl: Type.String(),
  /** Where the keys of the accounts are used; without it a server needs a seed (developers' machines only). */
  signerUrl: Type.Optional(Type.String()),
  /** Where the two servers reach each other; never public. */
  sepServerUrl: Type.String(),
  businessServerUrl: Type.String(),
  /** Currency units for one US dollar, by ISO 4217 code: the platform's FX_RATE_<code>_USDC. */
  fxRates: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** Seconds: the server asks the platform for exchange rates, and older ones do not count; absent: `fxRates` are fixed. */
  fxRatesWithin: Type.Optional(Type.Integer({ minimum: 1 })),
  /** The version of the servers' software. */
  version: Type.String(),
})
export type AnchorConfig = Static<typeof AnchorConfig>
