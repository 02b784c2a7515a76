import { can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { findTemplate } from '#src/domain/administration/templates/files.ts';
import { artifactText } from '#src/domain/ci/artifacts/single_file.ts';
import {
  type Answer,
  keyOf,
  MAX_CONFIG_BYTES,
  type Place,
  type Wanted,
} from '#src/domain/ci/pipelines/config/base/sources.ts';
import { versionOf } from '#src/domain/ci/pipelines/config/component_version.ts';
import { fetchRemote } from '#src/domain/ci/pipelines/config/fetch_remote.ts';
import { knownTemplate } from '#src/domain/ci/pipelines/config/templates.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { resolveRevision } from '#src/domain/repository/revision.ts';
import { isLimit } from '#src/git/base/errors.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { BadRequest, ContentTooLarge, NotFound, nullIfNotFound } from '#src/platform/errors.ts';

/** Paths of a tree, or of changes, that conditions look at. */
const MAX_PATHS = 50_000;
/** Answers of one kind that are looked for at once. */
const CONCURRENCY = 10;

/** Where a pipeline's own files are. */
export interface Ground {
  repository: RepositoryReader;
  commit: Oid;
  /** What the changes of the pipeline are compared with; null if there is nothing. */
  base: Oid | null;
  /** Path of the configuration, if it is not the usual one. */
  configPath?: string | null | undefined;
  /** The pipeline whose child is made, for files among the artifacts of its jobs. */
  parentId?: number;
}

type Found = Answer<Wanted['kind']>;

/** Looks for what a configuration refers to, once each, with the rights of the actor. */
export class LookUp {
  readonly answers = new Map<string, Found>();
  readonly #context: Context;
  readonly #ground: Ground | null;
  readonly #places = new Map<string, Promise<{ repository: RepositoryReader; commit: Oid } | { error: string }>>();

  /** @param ground null without a repository */
  constructor(context: Context, ground: Ground | null) {
    this.#context = context;
    this.#ground = ground;
  }

  /** @param end when to give up, as `performance.now()` tells it; what is missing then stays so */
  async add(wanted: readonly Wanted[], end: number): Promise<void> {
    for (let at = 0; at < wanted.length && performance.now() < end; at += CONCURRENCY) {
      const some = wanted.slice(at, at + CONCURRENCY);
      const found = await Promise.all(some.map((one) => this.#find(one)));
      for (const [index, one] of some.entries()) this.answers.set(keyOf(one), found[index] ?? null);
    }
  }

  async #find(wanted: Wanted): Promise<Found> {
    switch (wanted.kind) {
      case 'file':
        return this.#file(wanted.place, wanted.path);
      case 'tree':
        return this.#tree(wanted.place);
      case 'changes':
        return this.#changes(wanted.compareTo);
      case 'template':
        return this.#template(wanted.name);
      case 'component':
        return this.#component(wanted.path, wanted.version);
      case 'artifact':
        return this.#artifact(wanted.job, wanted.path);
      case 'remote':
        // Else anybody could have the server fetch anything.
        if (!this.#context.actor) return { error: `Remote file \`${wanted.url}\` is only fetched for signed-in users` };
        return fetchRemote(wanted.url, this.#context.imports);
    }
  }

  async #file(place: Place, path: string): Promise<Answer<'file'>> {
    const missing = place
      ? `Project \`${place.project}\` file \`${path}\` does not exist!`
      : `Local file \`${path}\` does not exist!`;
    const there = await this.#at(place);
    if (!there) return { error: missing };
    if ('error' in there) return there;
    const entry = await there.repository.entry(there.commit, path);
    if (entry?.type !== 'blob') return { error: missing };
    try {
      const content = await there.repository.blob(entry.oid, MAX_CONFIG_BYTES);
      return content === null ? { error: missing } : { text: content.toString('utf8') };
    } catch (error) {
      if (isLimit(error, 'size'))
        return { error: `Included file \`${path}\` is larger than ${MAX_CONFIG_BYTES} bytes` };
      throw error;
    }
  }

  async #tree(place: Place): Promise<Answer<'tree'>> {
    const there = await this.#at(place);
    if (!there) return { paths: [], isWhole: true };
    if ('error' in there) return there;
    const page = await there.repository.treePage(there.commit, '', { recursive: true, offset: 0, limit: MAX_PATHS });
    const paths = page?.entries.map(({ type, path }) => (type === 'tree' ? `${path}/` : path)) ?? [];
    return { paths, isWhole: page === null || page.total <= MAX_PATHS };
  }

  async #changes(compareTo: string | null): Promise<Answer<'changes'>> {
    if (!this.#ground) return null;
    const { repository, commit, base } = this.#ground;
    const from = compareTo === null ? base : await repository.resolve(compareTo);
    if (from === null) {
      return compareTo === null ? null : { error: `rules:changes:compare_to is not a valid ref: ${compareTo}` };
    }
    const [start] = compareTo === null ? [from] : await repository.mergeBases(from, commit);
    if (start === undefined) return null;
    const [old, now] = await repository.commits([start, commit]);
    if (!old || !now) return null;
    const { changes, isComplete } = await repository.changes(old.tree, now.tree, { most: MAX_PATHS });
    return { paths: changes.map(({ path }) => path), isWhole: isComplete };
  }

  async #template(name: string): Promise<Answer<'template'>> {
    const known = knownTemplate(name);
    if (known) return known;
    const plain = name.replace(/\.gitlab-ci\.yml$/i, '').replace(/^.*\//, '');
    try {
      return { text: (await findTemplate(this.#context, 'gitlab_ci_ymls', plain)).content };
    } catch (error) {
      if (error instanceof NotFound) return { error: `Template file \`${name}\` is not a valid location!` };
      throw error;
    }
  }

  async #artifact(job: string, path: string): Promise<Answer<'artifact'>> {
    const { parentId } = this.#ground ?? {};
    if (parentId === undefined) return { error: 'include:artifact can only be used by jobs with `trigger`' };
    const [made] = await this.#context.db.$queryRaw<{ id: number }[]>`
      SELECT id FROM jobs WHERE pipeline_id = ${parentId} AND name = ${job} AND NOT retried AND NOT generic ORDER BY id DESC LIMIT 1`;
    try {
      return made
        ? { text: await artifactText(this.#context, made.id, { path, most: MAX_CONFIG_BYTES }) }
        : { error: `Job \`${job}\` not found in parent pipeline or does not have artifacts!` };
    } catch (error) {
      if (error instanceof NotFound) return { error: `Job \`${job}\` has no artifact \`${path}\`` };
      if (!(error instanceof BadRequest || error instanceof ContentTooLarge)) throw error;
      return { error: `Artifact \`${path}\` of job \`${job}\` cannot be read: ${error.message}` };
    }
  }

  /** The file of a component, at the place in its project, or in the directory of its name. */
  async #component(path: string, version: string): Promise<Answer<'component'>> {
    const at = path.lastIndexOf('/');
    const [project, name] = [path.slice(0, at), path.slice(at + 1)];
    const ref = await versionOf(this.#context, project, version);
    if (ref === null) return { error: `Component \`${path}\` has no version \`${version}\`` };
    const place = { project, ref };
    for (const file of [`templates/${name}.yml`, `templates/${name}/template.yml`]) {
      const found = await this.#file(place, file);
      const there = await this.#at(place);
      if (found && 'text' in found) {
        const sha = there && 'commit' in there ? there.commit : '';
        return { ...found, place, about: { name, sha, version: ref, reference: version } };
      }
      if (there && 'error' in there) return there;
    }
    return { error: `Component \`${path}\` does not exist in version \`${version}\`` };
  }

  /** The commit of a place; null for the pipeline's own where there is no repository. */
  #at(place: Place) {
    if (place === null) return this.#ground;
    const key = JSON.stringify(place);
    const known = this.#places.get(key);
    if (known) return known;
    const opening = this.#open(place);
    this.#places.set(key, opening);
    return opening;
  }

  async #open({ project, ref }: NonNullable<Place>) {
    const context = this.#context;
    const found = await findProject(context, project).catch(nullIfNotFound);
    if (!found || !can(context.actor, 'read_repository', found)) {
      return {
        error: `Project \`${project}\` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.`,
      };
    }
    const repository = await context.repositories.open(found);
    const commit = repository && (await resolveRevision(context, found, repository, ref));
    return repository && commit
      ? { repository, commit }
      : { error: `Project \`${project}\` reference \`${ref}\` does not exist!` };
  }
}
