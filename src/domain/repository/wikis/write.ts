import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { WikiPageChanged } from '#src/domain/changes/change.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import { findOwner, type Owner, type OwnerRef } from '#src/domain/projects/owner.ts';
import { authorizeWiki, ensureWikiPlace } from '#src/domain/repository/wiki_place.ts';
import {
  contentOf,
  findWikiPage,
  MAX_PAGE_BYTES,
  pageOf,
  pathOf,
  SIDEBAR,
  slugOf,
  titleOf,
  type WikiFormat,
  type WikiPageRow,
} from '#src/domain/repository/wikis/pages.ts';
import { commitToWiki } from '#src/domain/repository/wikis/repository.ts';
import { pathFault } from '#src/git/write/path.ts';
import { BadRequest, ContentTooLarge, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import type { IncomingFile } from '#src/platform/incoming_file.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

export interface NewWikiPage {
  title: string;
  content: string;
  format?: WikiFormat | null | undefined;
  /** Message of the commit. */
  message?: string | null | undefined;
}

export interface WikiPageChanges {
  title?: string | null | undefined;
  content?: string | null | undefined;
  format?: WikiFormat | null | undefined;
  message?: string | null | undefined;
  /** Full hash of the commit of the wiki at which the page was read: the page must not have changed since. */
  version?: string | null | undefined;
}

/** Characters of the longest title, and of the longest message. */
const MAX_TITLE_LENGTH = 255;
const MAX_MESSAGE_LENGTH = 10_000;

/** The project or group, if the actor may write to its wiki. Throws NotFound, Unauthenticated, Forbidden. */
async function writableWiki(context: Context, ref: OwnerRef): Promise<{ actor: Actor; owner: Owner }> {
  const actor = requireActor(context);
  const owner = await findOwner(context, ref);
  authorizeWiki(actor, 'write', owner);
  return { actor, owner };
}

/** Commits a new page to the wiki of a project or group. Throws NotFound, Forbidden, ValidationFailed, and as commitToWiki. */
export async function createWikiPage(context: Context, ref: OwnerRef, given: NewWikiPage): Promise<WikiPageRow> {
  const { actor, owner } = await writableWiki(context, ref);
  const { title, content, message } = given;
  const format = given.format ?? 'markdown';
  const slug = usableSlug(title);
  const text = usableContent(content);
  const { commit } = await commitToWiki(context, owner, actor.id, {
    message: messageOf(message, `Created page: ${titleOf({ name: slug })}`),
    bytes: text.length,
    prepare: async (reader, tip) => {
      if (tip !== null && (await pageOf(owner, reader, tip, slug)) !== null) throw taken(slug);
      return [{ action: 'create', path: pathOf(slug, format), content: text }];
    },
    also: (tx, commit) =>
      recordPage(tx, context, actor, { owner, slug, format, content, message, action: 'create', commit }),
  });
  return made(context, owner, commit, slug);
}

/** Commits changes of a page, which may move it. Throws as createWikiPage, ValidationFailed where it has changed since `version`. */
export async function updateWikiPage(
  context: Context,
  ref: OwnerRef,
  slug: string,
  { title, content, format: wanted, message, version }: WikiPageChanges,
): Promise<WikiPageRow> {
  const { actor, owner } = await writableWiki(context, ref);
  const present = await findWikiPage(context, owner, slug);
  const whole = content ?? (await contentOf(context, present));
  const directory = slug.includes('/') && title != null && !title.includes('/') ? `${path.posix.dirname(slug)}/` : '';
  const next = title == null ? slug : usableSlug(`${directory}${title}`);
  const format = wanted ?? present.format;
  const text = content == null ? null : usableContent(content);
  const { commit } = await commitToWiki(context, owner, actor.id, {
    message: messageOf(message, `Updated page: ${titleOf({ name: next })}`),
    bytes: text?.length ?? 0,
    prepare: async (reader, tip) => {
      const page = tip === null ? null : await pageOf(owner, reader, tip, slug);
      if (tip === null || page === null) throw new NotFound('Wiki Page');
      if (version && (await findWikiPage(context, owner, slug, version)).oid !== page.oid) throw changedSince();
      const to = format === page.format && next === slug ? page.path : pathOf(next, format);
      if (next !== slug && (await pageOf(owner, reader, tip, next)) !== null) throw taken(next);
      if (to !== page.path) {
        return [{ action: 'move', path: to, previousPath: page.path, ...(text === null ? {} : { content: text }) }];
      }
      const bytes = text ?? (await reader.blob(page.oid, MAX_PAGE_BYTES)) ?? Buffer.alloc(0);
      return [{ action: 'update', path: to, content: bytes }];
    },
    also: (tx, commit) =>
      recordPage(tx, context, actor, {
        ...{ owner, slug: next, format, content: whole, message, action: 'update', commit },
      }),
  });
  return made(context, owner, commit, next);
}

/** Commits the removal of a page. Throws as createWikiPage. */
export async function deleteWikiPage(context: Context, ref: OwnerRef, slug: string): Promise<void> {
  const { actor, owner } = await writableWiki(context, ref);
  const present = await findWikiPage(context, owner, slug);
  const { format } = present;
  const content = await contentOf(context, present);
  await commitToWiki(context, owner, actor.id, {
    message: `Deleted page: ${titleOf({ name: slug })}`,
    bytes: 0,
    prepare: async (reader, tip) => {
      const page = tip === null ? null : await pageOf(owner, reader, tip, slug);
      if (page === null) throw new NotFound('Wiki Page');
      return [{ action: 'delete', path: page.path }];
    },
    also: (tx, commit) =>
      recordPage(tx, context, actor, { owner, slug, format, content, message: null, action: 'delete', commit }),
  });
}

/** A file that was attached to a wiki. */
export interface WikiAttachment {
  fileName: string;
  /** `uploads/<hash>/<name>`. */
  filePath: string;
  branch: string;
  markdown: string;
}

/** Commits a file to the wiki, for its pages to show. Throws as createWikiPage, ContentTooLarge. */
export async function uploadWikiAttachment(
  context: Context,
  ref: OwnerRef,
  file: IncomingFile,
): Promise<WikiAttachment> {
  const { actor, owner } = await writableWiki(context, ref);
  const { maxAttachmentSize } = await currentSettings(context.db);
  const { maxInlineBytes } = context.repositories;
  const most = Math.min(maxAttachmentSize * 1024 * 1024, maxInlineBytes);
  if (file.size > most) throw new ContentTooLarge(`files can be at most ${most} bytes`);
  const content = await buffer(file.stream());
  const fileName =
    path
      .basename(file.name)
      .replace(/[^\w.-]+/g, '_')
      .replace(/^\.+/, '')
      .slice(-200) || 'file';
  const filePath = `uploads/${randomBytes(16).toString('hex')}/${fileName}`;
  const { branch } = await commitToWiki(context, owner, actor.id, {
    message: `Upload attachment ${fileName}`,
    bytes: content.length,
    prepare: async () => [{ action: 'create', path: filePath, content }],
  });
  const isPicture = /\.(png|jpe?g|gif|webp|svg)$/i.test(fileName);
  const markdown = isPicture ? `![${fileName.replace(/\.[^.]+$/, '')}](${filePath})` : `[${fileName}](${filePath})`;
  return { fileName, filePath, branch, markdown };
}

function taken(slug: string): BadRequest {
  const existing = { type: 'WikiPage', name: slug };
  return new BadRequest('A page with that title already exists', 'title').asExisting(existing);
}

function changedSince(): ValidationFailed {
  return new ValidationFailed({ content: ['The page has been changed by someone else since you began to edit it'] });
}

function usableSlug(title: string): string {
  const slug = slugOf(title);
  const wrong = (message: string) => new ValidationFailed({ title: [message] });
  if (slug === '') throw wrong("can't be blank");
  if ([...title].length > MAX_TITLE_LENGTH) throw wrong(`is too long (maximum is ${MAX_TITLE_LENGTH} characters)`);
  if (
    [slug, `${slug}.md`].some((one) => pathFault(one) !== null) ||
    (slug.startsWith('_') && slug !== SIDEBAR) ||
    slug.startsWith('uploads/')
  )
    throw wrong('is invalid');
  return slug;
}

function usableContent(content: string): Buffer {
  const bytes = Buffer.from(content);
  if (bytes.length > MAX_PAGE_BYTES) throw new ContentTooLarge(`pages can be at most ${MAX_PAGE_BYTES} bytes`);
  return bytes;
}

function messageOf(given: string | null | undefined, usual: string): string {
  return given?.trim() ? given.slice(0, MAX_MESSAGE_LENGTH) : usual;
}

async function made(context: Context, owner: Owner, commit: string, slug: string): Promise<WikiPageRow> {
  const reader = await context.repositories.open(await ensureWikiPlace(context, owner));
  const page = reader && (await pageOf(owner, reader, commit, slug));
  // The project or group was deleted in the meantime.
  if (!page) throw new NotFound(owner.project ? 'Project' : 'Group');
  return page;
}

type Recorded = Omit<WikiPageChanged['page'], 'title' | 'message'> & {
  owner: Owner;
  message: string | null | undefined;
};

/** Tells what follows the pages of projects and groups. */
async function recordPage(
  tx: Parameters<typeof recordChange>[0],
  context: Context,
  actor: Actor,
  { owner: { project, group }, ...page }: Recorded,
): Promise<void> {
  const facts = { ...page, title: titleOf({ name: page.slug }), message: page.message ?? '' };
  await recordChange(tx, context, { type: 'wikiPageChanged', actor, project, group, page: facts });
}
