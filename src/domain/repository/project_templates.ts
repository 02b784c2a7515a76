import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { findTemplate, listTemplates, TEMPLATE_KINDS } from '#src/domain/administration/templates/files.ts';
import { findLicense, type LicenseTemplate, listLicenses } from '#src/domain/administration/templates/license.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { findRevision } from '#src/domain/repository/revision.ts';
import { NotFound } from '#src/platform/errors.ts';
import { type Page, type PageRequest, pageOf } from '#src/platform/page.ts';

/** What a project has templates for: files that come with the server, licenses, and descriptions that its repository has. */
export const PROJECT_TEMPLATE_KINDS = [...TEMPLATE_KINDS, 'licenses', 'issues', 'merge_requests'] as const;
export type ProjectTemplateKind = (typeof PROJECT_TEMPLATE_KINDS)[number];

export interface ProjectTemplateName {
  key: string;
  name: string;
}

export interface ProjectTemplate extends ProjectTemplateName {
  content: string;
  /** All that is known of a license. */
  license: LicenseTemplate | null;
}

/** The names that a license is filled with. */
export interface Filling {
  project?: string | null | undefined;
  fullName?: string | null | undefined;
}

/** The templates of a kind, by name. Throws Forbidden, Unauthenticated. */
export async function listProjectTemplates(
  context: Context,
  project: ProjectRow,
  kind: ProjectTemplateKind,
  page: PageRequest,
): Promise<Page<ProjectTemplateName>> {
  if (isDescription(kind)) return pageOf(await descriptions(context, project, kind), page);
  if (kind === 'licenses') return listLicenses(context, false, page);
  const { nodes, ...rest } = await listTemplates(context, kind, page);
  return { ...rest, nodes: nodes.map(({ name }) => ({ key: name, name })) };
}

/** The template with that key, ignoring case. Throws NotFound, Forbidden, Unauthenticated. */
export async function findProjectTemplate(
  context: Context,
  project: ProjectRow,
  kind: ProjectTemplateKind,
  key: string,
  filling: Filling,
): Promise<ProjectTemplate> {
  if (kind === 'licenses') {
    const license = await findLicense(context, key, filling).catch(notATemplate);
    return { key: license.key, name: license.name, content: license.content, license };
  }
  if (!isDescription(kind)) {
    const { name, content } = await findTemplate(context, kind, key).catch(notATemplate);
    return { key: name, name, content, license: null };
  }
  const wanted = key.toLowerCase();
  const found = (await descriptions(context, project, kind)).find(({ name }) => name.toLowerCase() === wanted);
  const content = await found?.read();
  if (!found || content === undefined) throw new NotFound('Template');
  return { key: found.key, name: found.name, content, license: null };
}

type DescriptionKind = 'issues' | 'merge_requests';

const DIRECTORIES: Record<DescriptionKind, string> = {
  issues: '.gitlab/issue_templates',
  merge_requests: '.gitlab/merge_request_templates',
};
const ENDING = '.md';
/** Entries of the directory that are looked at, and bytes of the largest template. */
const MAX_ENTRIES = 1_000;
const MAX_TEMPLATE_BYTES = 1024 * 1024;

function isDescription(kind: ProjectTemplateKind): kind is DescriptionKind {
  return kind in DIRECTORIES;
}

/** The templates for descriptions on the default branch: Markdown files in a directory of their own. */
async function descriptions(context: Context, project: ProjectRow, kind: DescriptionKind) {
  authorize(context.actor, 'read_repository', project);
  const revision = await findRevision(context, project);
  if (!revision) return [];
  const { repository, oid: commit } = revision;
  const listing = await repository.treePage(commit, DIRECTORIES[kind], {
    recursive: false,
    offset: 0,
    limit: MAX_ENTRIES,
  });
  const files = (listing?.entries ?? []).filter(({ type, name }) => type === 'blob' && name.endsWith(ENDING));
  return files.map(({ name: file, oid }) => {
    const name = file.slice(0, -ENDING.length);
    const read = async () => {
      const size = await repository.blobSize(oid);
      if (size === null || size > MAX_TEMPLATE_BYTES) return undefined;
      return (await repository.blob(oid, MAX_TEMPLATE_BYTES))?.toString('utf8');
    };
    return { key: name, name, read };
  });
}

function notATemplate(error: unknown): never {
  throw error instanceof NotFound ? new NotFound('Template') : error;
}
