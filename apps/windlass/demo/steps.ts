import { approveTwo, logInAsAdministrator, rejectOne, seeApplications } from './administer.ts'
import { applyForOthers, applyForTheFirst } from './apply.ts'
import { linkAndProveWallet, signInCustomer, verifiedEverywhere, verifyIdentity } from './customer.ts'
import { readMails } from './founders-mail.ts'
import { findInRegistry, handOff, quote, route } from './market.ts'
import { deposit, withdraw } from './money.ts'
import { watchProvisioning } from './provisioning.ts'
import { runTestDeposit, signInOperator, useApiKey } from './operator.ts'
import { redeemInvitations, redeemTwice } from './redeem.ts'
import type { Step } from './story.ts'
import { discover, logInWithWallet, seeAssetOnTheLedger } from './wallet.ts'

/** The steps of the demo in order. */
export const STEPS: readonly Step[] = [
  applyForTheFirst,
  applyForOthers,
  logInAsAdministrator,
  seeApplications,
  approveTwo,
  rejectOne,
  readMails,
  redeemInvitations,
  redeemTwice,
  watchProvisioning,
  seeAssetOnTheLedger,
  findInRegistry,
  quote,
  route,
  handOff,
  discover,
  logInWithWallet,
  signInCustomer,
  linkAndProveWallet,
  verifyIdentity,
  verifiedEverywhere,
  deposit,
  withdraw,
  signInOperator,
  useApiKey,
  runTestDeposit,
]
