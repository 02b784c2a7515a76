import { createHash } from 'node:crypto';
import {
  deleteState,
  lockState,
  MAX_STATE_BYTES,
  readState,
  type StateKey,
  StateLocked,
  unlockState,
  writeState,
} from '#src/domain/terraform_states/states.ts';
import { type Answer, type Call, json, nothing, type RegistryRoute } from '#src/entrances/web/packages/call.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';

const STATE = '/terraform/state/:name';
const MAX_LOCK_BYTES = 64 * 1024;
const READS = { method: 'GET', at: ['project'], purpose: 'read', ability: 'read_terraform_state' } as const;
const WRITES = { at: ['project'], purpose: null, ability: 'admin_terraform_state' } as const;

/** The HTTP backend of Terraform and OpenTofu. */
export const TERRAFORM_STATES: readonly RegistryRoute[] = [
  { ...READS, path: STATE, answer: (call) => send(call) },
  { ...WRITES, method: 'POST', path: STATE, body: { bytes: MAX_STATE_BYTES }, answer: telling(write) },
  { ...WRITES, method: 'DELETE', path: STATE, answer: telling((call) => deleteState(call.context, keyOf(call))) },
  { ...WRITES, method: 'POST', path: `${STATE}/lock`, body: { fields: MAX_LOCK_BYTES }, answer: telling(lock) },
  { ...WRITES, method: 'DELETE', path: `${STATE}/lock`, body: { fields: MAX_LOCK_BYTES }, answer: telling(unlock) },
  { ...READS, path: `${STATE}/versions/:serial`, answer: (call) => send(call, serialOf(call)) },
  {
    ...{ ...WRITES, method: 'DELETE', path: `${STATE}/versions/:serial` },
    answer: telling((call) => deleteState(call.context, keyOf(call), serialOf(call))),
  },
];

function keyOf({ place, params: { name = '' } }: Call): StateKey {
  if (place === 'server' || !('project' in place)) throw new NotFound('Project');
  return { project: place.project, name };
}

function serialOf({ params: { serial = '' } }: Call): number {
  if (!/^\d{1,15}$/.test(serial)) throw new BadRequest('serial is invalid', 'serial', 'valueInvalid');
  return Number(serial);
}

/** Does something with a state. Where somebody else has locked it, what they said of that is the answer. */
function telling(work: (call: Call) => Promise<void>): RegistryRoute['answer'] {
  return async (call) => {
    try {
      await work(call);
      return nothing(200);
    } catch (error) {
      if (error instanceof StateLocked) return json(error.lock, 409);
      throw error;
    }
  };
}

async function send(call: Call, serial?: number): Promise<Answer> {
  const text = await readState(call.context, keyOf(call), serial);
  return text === null ? nothing(204) : { type: 'application/json', text };
}

async function write(call: Call): Promise<void> {
  const { bytes } = call.body;
  const given = call.request.headers['content-md5'];
  if (typeof given === 'string' && given !== createHash('md5').update(bytes).digest('base64'))
    throw new BadRequest('The body does not match Content-MD5');
  await writeState(call.context, keyOf(call), bytes, call.query.get('ID'));
}

async function lock(call: Call): Promise<void> {
  await lockState(call.context, keyOf(call), { ...call.body.fields });
}

/** `force-unlock` sends no lock. */
async function unlock(call: Call): Promise<void> {
  const id = call.body.fields.ID ?? call.query.get('ID');
  await unlockState(call.context, keyOf(call), typeof id === 'string' && id !== '' ? id : null);
}
