import type { Socket } from 'node:net';
import type { ServerChannel } from 'ssh2';
import { failureOf, Gone } from '#src/domain/repository/remote/failure.ts';
import { MAX_COMMAND_BYTES, MAX_FETCH_BYTES } from '#src/domain/repository/remote/limits.ts';
import { findHolder, type KeyHolder, noteKeyUse } from '#src/domain/users/keys/holder.ts';
import { authenticateLfs } from '#src/entrances/ssh/authenticate_lfs.ts';
import { ChannelInput, ChannelOutput } from '#src/entrances/ssh/channel_io.ts';
import {
  type GitCommand,
  isArchiveCommand,
  type LfsCommand,
  parseCommand,
  parseLfsCommand,
} from '#src/entrances/ssh/command.ts';
import { watchCommand } from '#src/entrances/ssh/progress.ts';
import { serveGit } from '#src/entrances/ssh/serve_git.ts';
import { type CommandFacts, FAILED, type SshServices } from '#src/entrances/ssh/services.ts';
import { TooMuchSent } from '#src/git/incoming/invalid_request.ts';
import { DomainError } from '#src/platform/errors.ts';

/** A client's request on a channel. */
export interface Wish {
  channel: ServerChannel;
  /** The command; null for a shell. */
  command: string | null;
  /** The git protocol version requested. */
  protocol: string | undefined;
}

/** The client. */
export interface Visitor {
  /** Fingerprint of the proven key. */
  fingerprint: string;
  address: string | null;
  socket: Socket;
}

/** Milliseconds for which a client may go on sending discarded input, so that it reads its response. */
const LINGER = 10_000;

/**
 * Runs a client's command and reports its exit status. The owner of the key is looked up again, as they may have been blocked
 * since the login.
 *
 * @param controller aborted when the client is gone, or too slow
 */
export async function execute(
  services: SshServices,
  visitor: Visitor,
  wish: Wish,
  controller: AbortController,
): Promise<void> {
  const begun = performance.now();
  const { channel } = wish;
  const command = wish.command === null ? null : parseCommand(wish.command);
  const lfs = wish.command === null ? null : parseLfsCommand(wish.command);
  const { signal } = controller;
  const most =
    command?.service === 'push' ? services.stores.repositories.limits.pushBytes + MAX_COMMAND_BYTES : MAX_FETCH_BYTES;
  const refusal = () => new TooMuchSent(`The client has sent more than ${most} bytes.`);
  const input = new ChannelInput(channel, most, refusal);
  input.on('error', () => undefined);
  signal.addEventListener('abort', () => input.destroy(signal.reason), { once: true });
  const output = new ChannelOutput(channel, visitor.socket, signal);
  output.on('error', () => undefined);
  const unwatch = watchCommand({ input, output }, controller, services.limits);
  let holder: KeyHolder | null = null;
  let status = FAILED;
  try {
    holder = await findHolder(services.stores.db, visitor.fingerprint);
    if (holder === null) throw refused('Your key is not valid any more, or your account is blocked.');
    if (wish.command === null) status = await greet(services, holder, output);
    else if (lfs !== null) status = await answerLfs(services, { holder, address: visitor.address }, lfs, output);
    else if (command === null) throw refused(unknown(wish.command));
    else
      status = await serveGit(services, { holder, address: visitor.address }, command, {
        ...wish,
        input,
        output,
        signal,
      });
  } catch (error) {
    complain(services, error, channel);
  } finally {
    unwatch();
  }
  input.destroy();
  // A client that is still sending might not read its response otherwise.
  const mayLinger = status !== 0 || command?.service === 'push';
  if (mayLinger && !input.hasEnded && input.received > 0 && !signal.aborted) await lingering(channel, signal);
  channel.exit(status);
  channel.end();
  const { received } = input;
  const facts = { status, ms: performance.now() - begun, received, sent: output.sent };
  services.tell({ ...facts, ...about(command, wish), ...whose(holder), aborted: signal.aborted || undefined });
}

async function answerLfs(
  services: SshServices,
  who: { holder: KeyHolder; address: string | null },
  command: LfsCommand,
  output: ChannelOutput,
): Promise<number> {
  const text = await authenticateLfs(services, who, command);
  await new Promise<void>((resolve, reject) => {
    output.write(Buffer.from(`${text}\n`), (error) => (error ? reject(new Gone(error.message)) : resolve()));
  });
  return 0;
}

async function greet({ stores }: SshServices, holder: KeyHolder, output: ChannelOutput): Promise<number> {
  await noteKeyUse(stores.db, holder);
  const name = holder.kind === 'user' ? `@${holder.actor.username}` : `deploy key ${printable(holder.title)}`;
  await new Promise<void>((resolve, reject) => {
    const text = `Welcome, ${name}! Your key works: use it with git. There is no shell access.\n`;
    // Errors are ignored, as the client may be gone by now.
    output.write(Buffer.from(text), (error) => (error ? reject(new Gone(error.message)) : resolve()));
  });
  return 0;
}

function unknown(command: string): string {
  if (isArchiveCommand(command)) return 'git archive --remote is not served here: clone the project, or use the API.';
  return 'There is no shell access: only git fetch, git clone and git push work here.';
}

function refused(message: string): DomainError {
  return new DomainError('notAllowed', message);
}

/** Shows the user of the client what went wrong. */
function complain(services: SshServices, thrown: unknown, channel: ServerChannel): void {
  const { error, isOurs } = failureOf(thrown);
  if (isOurs) services.report(thrown);
  const isTold = error instanceof DomainError || error instanceof TooMuchSent || error instanceof Gone;
  const usual = isOurs
    ? 'Something went wrong on the server.'
    : 'The client and the server did not understand each other.';
  say(channel, isTold ? error.message : usual);
}

function say({ stderr }: ServerChannel, message: string): void {
  if (stderr.writable) stderr.write(`remote: ${printable(message)}\n`);
}

/** Removes control characters, which a terminal would interpret. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ');
}

/** Waits for a while until a client stops sending. */
function lingering(channel: ServerChannel, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let last = 0;
    let came = 0;
    channel.on('data', (chunk: Buffer) => {
      came += chunk.length;
    });
    const done = () => {
      clearInterval(quiet);
      clearTimeout(timer);
      resolve();
    };
    // Most clients end their input; others wait for the response in silence.
    const quiet = setInterval(() => {
      if (came === last) done();
      last = came;
    }, 500);
    const timer = setTimeout(done, LINGER);
    channel.once('end', done);
    signal.addEventListener('abort', done, { once: true });
  });
}

function about(command: GitCommand | null, wish: Wish): Pick<CommandFacts, 'command' | 'path'> {
  if (command) return { command: command.service, path: command.fullPath };
  return { command: wish.command === null ? 'greet' : 'refuse' };
}

function whose(holder: KeyHolder | null): Pick<CommandFacts, 'user' | 'deployKey'> {
  if (holder === null) return {};
  return holder.kind === 'user' ? { user: holder.actor.id } : { deployKey: holder.keyId };
}
