import { authorize, can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { findRevision } from '#src/domain/repository/revision.ts';

/** What has templates for its descriptions in the repository. */
export const DESCRIPTION_KINDS = ['issues', 'merge_requests'] as const;
export type DescriptionKind = (typeof DESCRIPTION_KINDS)[number];

/** A template, whose text is read when it is needed: undefined if it is too large. */
export interface DescriptionTemplate {
  name: string;
  read(): Promise<string | undefined>;
}

/** What a new description begins with. */
export interface NewDescription {
  /** Null if nothing is there to begin with. */
  text: string | null;
  /** The template of the repository that it is; null for that of the settings, or none. */
  template: string | null;
  /** Names of the templates that can be chosen. */
  templates: string[];
}

const DIRECTORIES: Record<DescriptionKind, string> = {
  issues: '.gitlab/issue_templates',
  merge_requests: '.gitlab/merge_request_templates',
};
const ENDING = '.md';
/** Name of the template that is used where none is chosen, in any case. */
const DEFAULT = 'default';
/** Entries of the directory that are looked at, and bytes of the largest template. */
const MAX_ENTRIES = 1_000;
const MAX_TEMPLATE_BYTES = 1024 * 1024;

/** The templates for descriptions on the default branch: Markdown files in a directory of their own. Throws Forbidden, Unauthenticated. */
export async function listDescriptions(
  context: Context,
  project: ProjectRow,
  kind: DescriptionKind,
): Promise<DescriptionTemplate[]> {
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
    const read = async () => {
      const size = await repository.blobSize(oid);
      if (size === null || size > MAX_TEMPLATE_BYTES) return undefined;
      return (await repository.blob(oid, MAX_TEMPLATE_BYTES))?.toString('utf8');
    };
    return { name: file.slice(0, -ENDING.length), read };
  });
}

/** The template of that name, ignoring case. */
export function descriptionNamed(
  templates: readonly DescriptionTemplate[],
  name: string,
): DescriptionTemplate | undefined {
  const wanted = name.toLowerCase();
  return templates.find((one) => one.name.toLowerCase() === wanted);
}

/**
 * What a new description begins with: the template with that name, else the text of the project's settings, else the template
 * `Default` of its repository. Whoever cannot read the repository gets that of the settings.
 */
export async function beginDescription(
  context: Context,
  project: ProjectRow,
  kind: DescriptionKind,
  chosen: string | null | undefined,
): Promise<NewDescription> {
  const templates = can(context.actor, 'read_repository', project)
    ? await listDescriptions(context, project, kind)
    : [];
  const names = templates.map(({ name }) => name);
  const found = chosen ? descriptionNamed(templates, chosen) : undefined;
  if (!found) {
    const text = await settingsText(context, project, kind);
    if (text !== null) return { text, template: null, templates: names };
  }
  const template = found ?? descriptionNamed(templates, DEFAULT);
  const text = (await template?.read()) ?? null;
  return { text, template: text === null ? null : (template?.name ?? null), templates: names };
}

async function settingsText({ db }: Context, { id }: ProjectRow, kind: DescriptionKind): Promise<string | null> {
  const found = await db.project.findUnique({
    where: { id },
    select: { issuesTemplate: true, mergeRequestsTemplate: true },
  });
  return (kind === 'issues' ? found?.issuesTemplate : found?.mergeRequestsTemplate) ?? null;
}
