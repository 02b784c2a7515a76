import type { ImportSettings } from '#src/platform/outbound/options.ts';
import type { RemoteClient } from '#src/platform/outbound/remote_client.ts';

/** What can be taken besides the repository, the settings, labels and milestones. */
export const PARTS = [
  'wiki',
  'issues',
  'merge_requests',
  'releases',
  'protected_branches',
  'members',
  'attachments',
] as const;
export type Part = (typeof PARTS)[number];

/** Where a project is, and what opens it there. */
export interface RemoteAddress {
  /** The web address of the server, without final slash. */
  url: string;
  /** Path of the project there, or its ID where that is all that is known. */
  path: string;
  token: string;
}

/**
 * A record as it comes from a source, before texts, references and lines of diffs were looked into: of a kind of archives
 * (project_archives/kinds.ts), with its columns, or of one of those of `StagedKinds`. IDs are those of the source; issues and merge
 * requests have their numbers as IDs.
 */
export interface StagedRecord {
  kind: string;
  record: Readonly<Record<string, unknown>>;
}

/** Something that does not come along. */
export interface LeftOut {
  /** The kind of record, such as `webhooks`. */
  kind: string;
  /** What names it at the source; null for all of a kind. */
  name: string | null;
  message: string;
}

/** A page of a phase. */
export interface Page {
  records: readonly StagedRecord[];
  leftOut?: readonly LeftOut[];
  /** What the next page of the phase is got by; null after the last one. */
  next: string | null;
  /** How many records of the source were looked at, and how many there are in all, where that is known. */
  seen: number;
  total?: number | null;
  /** Bytes of files that came with it. */
  fileBytes?: number;
}

/** The phase that looks for what does not come along. */
export const LEFT_BEHIND = 'left_behind';

/** What is fetched page by page. */
export interface Phase {
  name: string;
  /** The part that it belongs to; null for what is always taken. */
  part: Part | null;
  /** The page after a cursor, the first one for null. Throws what RemoteClient throws, and SourceInvalid. */
  page(source: PhaseContext, cursor: string | null): Promise<Page>;
}

/** What phases need to know. */
export interface PhaseContext {
  client: RemoteClient;
  project: RemoteProject;
  parts: ReadonlySet<Part>;
  /** Records that were staged before, in their order. */
  staged(kind: string): AsyncIterable<StagedRecord['record']>;
}

/** A project at its source. */
export interface RemoteProject {
  id: number;
  /** Its path, as in its addresses. */
  path: string;
  /** Last part of the path, and its display name. */
  slug: string;
  name: string;
  /** Root of its resources in the API, without final slash. */
  api: string;
  /** Web addresses of the server and of the project, without final slash. */
  server: string;
  web: string;
  /** Settings by their names in archives. */
  settings: Readonly<Record<string, unknown>>;
  /** Where git fetches from, with the user name that goes with the token; the wiki is null if there is none. */
  repository: string;
  wiki: string | null;
  gitUser: string;
  /** Addresses at which its picture is, the first one that has it counts; none without one. */
  pictures: readonly string[];
}

/** A project of an owner at another server. */
export interface OwnedProject {
  path: string;
  isFork: boolean;
}

/** A kind of server that projects can be moved in from. */
export interface Provider {
  /** As in `import_sources`, and `import_type`. */
  name: string;
  label: string;
  /** The web address that is meant if none is given; null if one has to be given. */
  defaultUrl: string | null;
  /** What v4 calls what is given. */
  parameters: Readonly<Record<keyof RemoteAddress, string>>;
  /** A client of its API. */
  client(address: RemoteAddress, settings: ImportSettings, signal: AbortSignal): RemoteClient;
  /** Reads what the project is. Throws what RemoteClient throws, and SourceInvalid. */
  project(client: RemoteClient, address: RemoteAddress): Promise<RemoteProject>;
  /** Reads what projects an owner has, whose path is the one of the address. Throws as `project`. */
  owned(client: RemoteClient, address: RemoteAddress): Promise<OwnedProject[]>;
  phases: readonly Phase[];
  /** The refs that the heads of merge requests have at the source, `*` for the number. */
  heads: string;
  /** Finds numbers that stand for issues and merge requests alike, and addresses of attached files, in texts. */
  texts: TextRules;
}

/** What texts of a source mean. */
export interface TextRules {
  /** Whether `#12` may be a merge request. */
  sharesNumbers: boolean;
  /** The addresses of files that texts show or link to, as a pattern with the flag `g`, by the web address of the server. */
  attachments(url: string): RegExp;
}

/** A source answered with something that its API does not give. The message is for users. */
export class SourceInvalid extends Error {
  override name = 'SourceInvalid';
}
