import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { groupsIn } from '#src/domain/gitlab_archives/groups/tree.ts';
import { Output } from '#src/domain/gitlab_archives/relations/output.ts';
import { type GroupTranslation, TAKERS, takeGroup } from '#src/domain/group_archives/gitlab_relations.ts';
import { KINDS } from '#src/domain/group_archives/kinds.ts';
import { LEFT_OUT, MAX_GROUPS, WIKIS } from '#src/domain/group_archives/place.ts';
import { linesOf } from '#src/domain/project_archives/lines.ts';

/** The directory of what has to be translated, beside the files of our layout. */
const ORIGINAL = 'original';
/** Characters of the longest name of what is left out. */
const MAX_NAME_LENGTH = 255;

/** The files of an archive of a group as GitLab exports it, in the directory of an import. */
export class GitlabFiles {
  readonly #directory: string;
  readonly #relations = new Map<number, string[]>();
  /** The IDs of the groups that have a wiki. */
  readonly wikis: number[] = [];

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Where a file of such an archive is put; undefined for one that does not come along. */
  placeOf(name: string): string | undefined {
    const [, wiki] = /^repositories\/([1-9]\d{0,8})\.wiki\.bundle$/.exec(name) ?? [];
    if (wiki !== undefined) {
      this.wikis.push(Number(wiki));
      return path.join(this.#directory, WIKIS, `${wiki}.bundle`);
    }
    if (name === 'VERSION' || name === 'tree/groups/_all.ndjson') return this.#file(path.basename(name));
    const [, head] = /^tree\/groups\/([1-9]\d{0,8})\.json$/.exec(name) ?? [];
    if (head !== undefined) return this.#file(`${head}.json`);
    const [, id, relation] = /^tree\/groups\/([1-9]\d{0,8})\/([a-z][a-z0-9_]{0,79})\.ndjson$/.exec(name) ?? [];
    if (id === undefined || relation === undefined) return undefined;
    this.#relations.set(Number(id), [...(this.#relations.get(Number(id)) ?? []), relation]);
    return this.#file(path.join(id, `${relation}.ndjson`));
  }

  /** Whether what was unpacked is such an archive. */
  get isThere(): boolean {
    return existsSync(path.join(this.#directory, ORIGINAL, 'VERSION'));
  }

  /** Makes files of our layout. Returns the IDs of the groups. Throws ArchiveInvalid, and the signal's reason. */
  async translate(signal: AbortSignal): Promise<Set<number>> {
    const out = new Output(this.#directory, KINDS, signal);
    const translation: GroupTranslation = { out, labels: new Map(), taken: new Set(), lineage: new Map() };
    try {
      const groups = await groupsIn(this.#file('_all.ndjson'), MAX_GROUPS, (id) => this.#file(`${id}.json`));
      const [root] = groups;
      for (const group of groups) {
        const settings = await this.#settings(group.id);
        await takeGroup(translation, group, settings);
        for (const [relation, take] of Object.entries(TAKERS)) {
          for await (const { record, number } of this.#records(group.id, relation))
            await take(translation, group.id, record, { relation, line: number });
        }
        await this.#countOthers(out, group.id);
      }
      for (const { relation, message } of out.leftOut()) {
        const name = `${relation}: ${message}`.slice(0, MAX_NAME_LENGTH).toWellFormed();
        await out.line(LEFT_OUT, { groupId: root?.id, kind: 'relation', name });
      }
      await out.end();
      return new Set(groups.map(({ id }) => id));
    } finally {
      await out.close();
    }
  }

  #file(name: string): string {
    const file = path.join(this.#directory, ORIGINAL, name);
    mkdirSync(path.dirname(file), { recursive: true });
    return file;
  }

  #records(id: number, relation: string) {
    return linesOf(this.#file(path.join(String(id), `${relation}.ndjson`)), `tree/groups/${id}/${relation}.ndjson`);
  }

  async #settings(id: number) {
    for await (const { record } of this.#records(id, 'namespace_settings')) return record;
    return {};
  }

  async #countOthers(out: Output, id: number): Promise<void> {
    for (const relation of this.#relations.get(id) ?? []) {
      if (Object.hasOwn(TAKERS, relation) || relation === 'namespace_settings') continue;
      let count = 0;
      for await (const _line of this.#records(id, relation)) count += 1;
      if (count > 0) out.leaveOut({ relation, line: 1 }, 'Gantry does not take records of this kind along.', count);
    }
  }
}
