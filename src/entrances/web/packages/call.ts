import type { Request, Response } from 'express';
import type { ProjectAbility } from '#src/access/permissions/abilities.ts';
import type { Actor, Context, Purpose } from '#src/access/permissions/actor.ts';
import { type Places, placesOf, type RegistryPlace } from '#src/domain/packages/places.ts';
import { readRawPackageFile } from '#src/domain/packages/read.ts';
import { publishableProject, StoredContent } from '#src/domain/packages/receive.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { RawContent } from '#src/domain/repository/raw.ts';
import { BadRequest } from '#src/platform/errors.ts';
import { SpooledFile } from '#src/platform/limits/spooled_file.ts';

/** An endpoint of the protocol of a kind of packages. */
export interface RegistryRoute {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Where it is: in projects (`/projects/:id`), in groups (`/groups/:id/-`), on the server. */
  at: readonly PlaceKind[];
  /** Behind that: `:name` is a segment, `*name` any number of them. */
  path: string;
  /** What the request does; null where that is anything that changes something. */
  purpose: Extract<Purpose, 'read_package' | 'write_package' | 'read'> | null;
  /** What the caller must be able to do in the project. */
  ability: ProjectAbility;
  /** How the body is received: as a file of a package in the store, as a form of which one field is a file, as a form or JSON, or in memory. */
  body?: { file: string } | { form: string } | { fields: number } | { bytes: number };
  answer(call: Call): Promise<Answer>;
}

export type PlaceKind = 'project' | 'group' | 'server';

/** A request to a registry, from a caller who may do what the route is for. */
export interface Call {
  request: Request;
  response: Response;
  context: Context;
  place: RegistryPlace;
  /** The URL of the API. */
  api: string;
  /** The URL of the place, to which the paths of routes are added. */
  base: string;
  /** The parts of the path by the names in that of the route. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  body: Body;
}

/** What came with a request. */
export interface Body {
  /** The file in the store; it is removed again unless it is recorded. */
  stored?: StoredContent;
  /** The fields of a form, of which one may be a SpooledFile. */
  fields: Readonly<Record<string, unknown>>;
  bytes: Buffer;
}

/** What a registry answers: content, or a text. */
export interface Answer {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** The media type of the text, which may be bytes. */
  type?: string;
  text?: string | Buffer;
  content?: RawContent;
}

export const json = (value: unknown, status = 200): Answer => ({
  status,
  type: 'application/json',
  text: JSON.stringify(value),
});

export const nothing = (status: number): Answer => ({ status });

/** The projects whose packages the request is about. Throws NotFound, Forbidden, Unauthenticated. */
export function placesIn({ context, place }: Call): Promise<Places> {
  return placesOf(context, place);
}

/** The content of a file. Throws NotFound, UploadsUnavailable. */
export async function sendFile({ context }: Call, { id }: { id: number }, type?: string): Promise<Answer> {
  const content = await readRawPackageFile(context, { databaseId: id });
  return { content: type === undefined ? content : { ...content, type } };
}

/** The project that packages are published in, by whom. Throws Unauthenticated, NotFound, Forbidden. */
export async function publisherIn({ context, place }: Call): Promise<{ actor: Actor; project: ProjectRow }> {
  if (place === 'server' || !('project' in place)) throw new BadRequest('Packages are published in projects');
  return publishableProject(context, place.project);
}

/** The text of a field of a form; undefined if it is absent. Throws BadRequest. */
export function field({ body: { fields } }: Call, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new BadRequest(`${name} is invalid`, name, 'valueInvalid');
}

/**
 * Does something with the file of a form in the store, where it stays if that succeeds. Throws BadRequest without one, and what
 * `record` throws.
 */
export async function storeFile<Result>(
  call: Call,
  name: string,
  record: (by: { actor: Actor; project: ProjectRow }, stored: StoredContent) => Promise<Result>,
): Promise<Result> {
  const by = await publisherIn(call);
  const file = call.body.fields[name];
  if (!(file instanceof SpooledFile)) throw new BadRequest(`${name} is missing`, name);
  const received = { name: file.name, size: file.size, content: file.stream() };
  await using stored = await StoredContent.receive(call.context, by.project.id, received);
  return await stored.recordedBy(() => record(by, stored));
}

/** As `storeFile`, of a body that is the file. */
export async function recordBody<Result>(
  call: Call,
  record: (by: { actor: Actor; project: ProjectRow }, stored: StoredContent) => Promise<Result>,
): Promise<Result> {
  const { stored } = call.body;
  if (!stored) throw new BadRequest('The body is missing');
  const by = await publisherIn(call);
  return await stored.recordedBy(() => record(by, stored));
}
