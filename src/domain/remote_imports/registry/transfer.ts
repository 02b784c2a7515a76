import type { Context } from '#src/access/permissions/actor.ts';
import { RegistryError } from '#src/domain/container_registry/errors.ts';
import type { LeftOut, Page, PhaseContext } from '#src/domain/remote_imports/base/source.ts';
import { cutOff } from '#src/domain/remote_imports/registry/staged.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { DomainError } from '#src/platform/errors.ts';
import { RemoteRefused, RemoteUnavailable } from '#src/platform/outbound/remote_client.ts';

/** Where things lie between the source and the project, and how many bytes may be fetched in all, and more. */
export interface TransferPlace {
  directory: string;
  maxBytes: number;
  readonly bytesLeft: number;
}

/** What is needed to give a project what its source has beside repositories and records. */
export interface Transfer {
  context: Context;
  projectId: number;
  staging: TransferPlace;
  phases: PhaseContext;
  token: string;
  signal: AbortSignal;
  /** Whether the import is still wanted: it is until the transaction ends, in which nothing is recorded otherwise. */
  hold(tx: Transaction): Promise<boolean>;
}

/** The import is not wanted any more: what was being recorded is not. */
export class NotWanted extends Error {}

/** Things that are transferred for a page of the staging, and bytes and milliseconds after which a page ends. */
const MAX_PER_PAGE = 20;
const MAX_PAGE_BYTES = 64 * 1024 * 1024;
const MAX_PAGE_MS = 30_000;

/** How much more may be fetched. */
export class Room {
  readonly #staging: TransferPlace;
  /** Bytes that were fetched for the page of the staging that is being made. */
  fetched = 0;

  constructor(staging: TransferPlace) {
    this.#staging = staging;
  }

  /** In bytes. */
  get left(): number {
    return Math.max(0, this.#staging.bytesLeft - this.fetched);
  }

  /** Throws RemoteRefused where so many bytes are too many. */
  require(bytes: number): void {
    if (bytes > this.left) throw new RemoteRefused(`The import would have more than ${this.#staging.maxBytes} bytes.`);
  }
}

/**
 * Transfers some things, one after the other. The cursor counts them. What cannot be transferred is named.
 *
 * @param transfer does one; returns a message where it stays behind
 */
export async function transferSome<Thing>(
  { staging }: Transfer,
  things: readonly Thing[],
  cursor: string | null,
  kind: string,
  nameOf: (thing: Thing) => string,
  transfer: (thing: Thing, room: Room) => Promise<string | null>,
): Promise<Page> {
  const from = Number(cursor ?? 0);
  const until = Date.now() + MAX_PAGE_MS;
  const room = new Room(staging);
  const leftOut: LeftOut[] = [];
  let at = from;
  for (; at < things.length && at < from + MAX_PER_PAGE; at++) {
    if (at > from && (room.fetched >= MAX_PAGE_BYTES || Date.now() > until)) break;
    const thing = things[at] as Thing;
    const message = await transfer(thing, room).catch(told);
    if (message !== null) leftOut.push({ kind, name: nameOf(thing).slice(0, 500), message });
  }
  const next = at < things.length ? String(at) : null;
  if (next === null) leftOut.push(...cutOff(things, kind));
  return { records: [], leftOut, next, seen: at - from, total: things.length, fileBytes: room.fetched };
}

/** Why one thing stays behind, in words; other errors are thrown. */
function told(error: unknown): string {
  const isOfOne = [RemoteRefused, RemoteUnavailable, DomainError, RegistryError].some((one) => error instanceof one);
  if (isOfOne) return (error as Error).message;
  throw error;
}
