import { isOid, NO_OBJECT, type Oid } from '../base/model.ts';
import { decodeName } from '../base/names.ts';
import type { ByteReader } from '../incoming/byte_reader.ts';
import { InvalidRequest } from '../incoming/invalid_request.ts';
import { readLines } from './pkt_line.ts';

/** What a client wants one ref to be: from null it is made, to null it is deleted. */
export interface PushCommand {
  /** As the client gave it, be it valid or not. */
  name: string;
  from: Oid | null;
  to: Oid | null;
}

export interface PushRequest {
  commands: PushCommand[];
  capabilities: ReadonlySet<string>;
  /** The options of the push (`git push -o`), as given. */
  options: string[];
}

/** The most that commands and options may take, in bytes: a hundred thousand refs and more. */
const MAX_REQUEST_BYTES = 16 * 1024 * 1024;

/** The most that the options of a push may take, in bytes, and how many there may be. */
const MAX_OPTIONS_BYTES = 256 * 1024;
const MAX_OPTIONS = 100;

/**
 * Reads what a push asks for; the pack, if anything is sent at all, is what remains. Commits at which a shallow client's
 * history ends are of no interest: whatever is pushed has to be complete here.
 * Null for the empty request by which clients find out whether they may push. Throws InvalidRequest.
 */
export async function readPushRequest(reader: ByteReader): Promise<PushRequest | null> {
  const lines = await readLines(reader, MAX_REQUEST_BYTES);
  const capabilities = new Set<string>();
  const commands: PushCommand[] = [];
  for (const line of lines ?? []) {
    if (line.subarray(0, 8).toString('latin1') === 'shallow ') continue;
    const mark = line.indexOf(0);
    if (mark >= 0) for (const capability of words(line.subarray(mark + 1))) capabilities.add(capability);
    commands.push(parseCommand(mark >= 0 ? line.subarray(0, mark) : line));
  }
  if (commands.length === 0) return null;
  if (new Set(commands.map(({ name }) => name)).size < commands.length) {
    throw new InvalidRequest('A ref is named more than once');
  }
  const options = capabilities.has('push-options') ? await readOptions(reader) : [];
  return { commands, capabilities, options };
}

async function readOptions(reader: ByteReader): Promise<string[]> {
  const lines = (await readLines(reader, MAX_OPTIONS_BYTES)) ?? [];
  if (lines.length > MAX_OPTIONS) throw new InvalidRequest(`There are more than ${MAX_OPTIONS} push options`);
  return lines.map((line) => line.toString());
}

function parseCommand(line: Buffer): PushCommand {
  const [from, to] = [line.toString('latin1', 0, 40), line.toString('latin1', 41, 81)];
  if (line[40] !== 32 || line[81] !== 32 || !isOid(from) || !isOid(to) || line.length < 83) {
    throw new InvalidRequest('There is something else where a command should be');
  }
  const change = { from: present(from), to: present(to) };
  if (change.from === null && change.to === null) throw new InvalidRequest('There is a command to do nothing');
  return { name: decodeName(line.subarray(82)), ...change };
}

function present(oid: Oid): Oid | null {
  return oid === NO_OBJECT ? null : oid;
}

function words(text: Buffer): string[] {
  return text
    .toString('latin1')
    .split(' ')
    .filter((word) => word !== '');
}
