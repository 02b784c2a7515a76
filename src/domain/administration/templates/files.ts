import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Context, requireApiScope } from '#src/access/permissions/actor.ts';
import { NotFound } from '#src/platform/errors.ts';
import { packagePath } from '#src/platform/package_root.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';

/** Kinds of file templates, as named in the REST API. */
export const TEMPLATE_KINDS = ['gitignores', 'gitlab_ci_ymls', 'dockerfiles'] as const;
export type TemplateKind = (typeof TEMPLATE_KINDS)[number];

export interface FileTemplate {
  kind: TemplateKind;
  name: string;
  content: string;
}

/** Names of the kinds in messages (behaviour.md 1.3). */
const ONE: Record<TemplateKind, string> = {
  gitignores: 'gitignore',
  gitlab_ci_ymls: 'gitlab_ci_yml',
  dockerfiles: 'dockerfile',
};

/** The templates of a kind, by name. Throws InsufficientScope. */
export async function listTemplates(
  { actor }: Context,
  kind: TemplateKind,
  { offset, limit }: PageRequest,
): Promise<Page<FileTemplate>> {
  requireApiScope(actor);
  const templates = await load(kind);
  return { nodes: templates.slice(offset, offset + limit), offset, total: templates.length };
}

/** The template of that name, ignoring case. Throws NotFound. */
export async function findTemplate({ actor }: Context, kind: TemplateKind, name: string): Promise<FileTemplate> {
  requireApiScope(actor);
  const wanted = name.toLowerCase();
  const template = (await load(kind)).find((one) => one.name.toLowerCase() === wanted);
  if (!template) throw new NotFound(ONE[kind]);
  return template;
}

const loaded = new Map<TemplateKind, Promise<FileTemplate[]>>();

/** Reads the files of a kind on first use, and keeps them: a few kilobytes. */
function load(kind: TemplateKind): Promise<FileTemplate[]> {
  const known = loaded.get(kind);
  if (known) return known;
  const loading = read(kind);
  loaded.set(kind, loading);
  loading.catch(() => loaded.delete(kind));
  return loading;
}

async function read(kind: TemplateKind): Promise<FileTemplate[]> {
  const directory = packagePath(`assets/templates/${kind}`);
  const names = (await readdir(directory)).filter((name) => name.endsWith('.txt')).sort();
  return Promise.all(
    names.map(async (file) => ({
      kind,
      name: file.slice(0, -'.txt'.length),
      content: await readFile(path.join(directory, file), 'utf8'),
    })),
  );
}
