import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Overrun, ThreadLate, Threads } from '#src/base/thread.ts';
import type {
  GpgAnswer,
  GpgKeyFacts,
  GpgVerdict,
  GpgWork,
  SignedText,
  SigningKey,
} from '#src/domain/users/gpg_keys/openpgp.ts';
import { Unavailable } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** Milliseconds of CPU time for a key or signature, and with the wait for the thread. */
const DEADLINE = { cpu: 2_000, all: 10_000 };

/** In a checkout the thread is TypeScript, in the published package JavaScript. */
const name = import.meta.filename.endsWith('.ts') ? './thread.ts' : './thread.js';
const threads = new Threads<GpgWork, GpgAnswer>(new URL(name, import.meta.url), {
  threads: 1,
  memory: 128,
  milliseconds: DEADLINE.all,
  cpuTime: DEADLINE.cpu,
  idle: 30_000,
});
/** One key or signature at a time; callers take turns. */
const turns = new CallerSemaphore({ concurrency: 1, waitingPerCaller: 200, waiting: 1_000, patience: 20_000 });

/** What came of verifying by a hash of signature, content and keys, on which alone it depends. */
const known = new LRUCache<string, GpgVerdict>({ max: 20_000 });

/** Reads a public key; null if it is none, or takes too long. Throws Unavailable if the thread is busy. */
export async function readGpgKey(caller: string, armor: string): Promise<GpgKeyFacts | null> {
  const answer = await ask(caller, { task: 'read', armor });
  return answer && 'facts' in answer ? answer.facts : null;
}

/** Verifies a signature in its armor with keys of which one may have made it. Throws Unavailable if the thread is busy. */
export async function verifyGpgSignature(
  caller: string,
  { signature, signed, keys }: { signature: string; signed: Buffer; keys: readonly string[] },
): Promise<GpgVerdict> {
  const hash = createHash('sha256');
  for (const part of [signature, signed, ...keys]) hash.update(createHash('sha256').update(part).digest());
  const digest = hash.digest('base64');
  const there = known.get(digest);
  if (there) return there;
  const answer = await ask(caller, { task: 'verify', signature, signed, keys });
  const verdict = answer && 'verdict' in answer ? answer.verdict : ({ outcome: 'invalid', key: 0 } as const);
  known.set(digest, verdict);
  return verdict;
}

/** Makes a key that signs in the name. Throws Unavailable if the thread is busy. */
export async function newSigningKey(caller: string, name: string): Promise<SigningKey> {
  const answer = await ask(caller, { task: 'generate', name });
  if (!answer || !('generated' in answer)) throw new Unavailable('The server is busy. Try again.');
  return answer.generated;
}

/** Signs a text with a private key in its armor. Throws Unavailable if the thread is busy. */
export async function signText(caller: string, text: string, privateKey: string): Promise<SignedText> {
  const answer = await ask(caller, { task: 'sign', text, privateKey });
  if (!answer || !('signed' in answer)) throw new Unavailable('The server is busy. Try again.');
  return answer.signed;
}

async function ask(caller: string, work: GpgWork): Promise<GpgAnswer | null> {
  try {
    return await turns.run(caller, () => threads.run(work));
  } catch (error) {
    if (error instanceof Overrun) return null;
    if (error instanceof ThreadLate) throw new Unavailable('The server is busy. Try again.');
    throw error;
  }
}
