import { LRUCache } from 'lru-cache';
import type { Beside } from '#src/access/credentials/token_owner.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import type { Ref } from '#src/domain/groups/find.ts';
import { namedProject } from '#src/domain/projects/named.ts';
import type { Selection } from '#src/platform/records/selection.ts';

declare module '#src/access/permissions/actor.ts' {
  interface Context {
    /** The project that a request which changes nothing is about, read beside who asks. */
    readonly foreseen?: ForeseenProject | undefined;
  }
}

/** What requests of one kind, as those of a route, select of the project that they are about. */
export class ProjectHabit {
  static #count = 0;
  /** Tells kinds apart. */
  readonly id = ProjectHabit.#count++;
  selection?: Selection<'Project'>;
  /** Whether such requests read nothing but their project. */
  readsAlone = false;
}

/** What was read of a project, with the key of what was selected. */
interface Former {
  key: string;
  json: string;
}

/** What requests read of their projects before, by kind, actor and project. */
const former = new LRUCache<string, Former>({
  maxSize: 4 * 1024 * 1024,
  sizeCalculation: ({ json }, key) => key.length + json.length,
});

/**
 * The project of one request that changes nothing. Requests of a kind select the same of their project: what those before
 * selected is read in the statement that finds out who asks, which saves each of them one.
 */
export class ForeseenProject {
  readonly #habit: ProjectHabit;
  readonly #ref: Ref;
  #found: { actor: Actor; selection: Selection<'Project'>; rows: unknown[] } | undefined;

  /** @param ref what the request calls the project */
  constructor(habit: ProjectHabit, ref: Ref) {
    this.#habit = habit;
    this.#ref = ref;
  }

  /** What to read beside who asks; undefined as long as nothing is known of such requests. */
  get beside(): Beside | undefined {
    const { selection } = this.#habit;
    if (!selection) return undefined;
    return {
      json: (actor) => namedProject(actor, this.#ref, selection),
      found: (actor, json) => {
        former.set(this.#keyFor(actor), { key: selection.key, json });
        this.#found = { actor, selection, rows: JSON.parse(json) };
      },
      presume: (actor) => {
        const before = this.#habit.readsAlone ? undefined : former.get(this.#keyFor(actor));
        if (before?.key !== selection.key) return undefined;
        this.#found = { actor, selection, rows: JSON.parse(before.json) };
        return before.json;
      },
      readAlone: () => {
        this.#habit.readsAlone = true;
      },
    };
  }

  /** The rows of the project: none if the actor may not see it, null if they were not read or too little was selected. */
  rows<Row>({ actor }: Context, ref: Ref, selection: Selection<'Project', Row>): Row[] | null {
    if (ref !== this.#ref) return null;
    const { selection: before } = this.#habit;
    this.#habit.selection = before ? before.with(selection) : selection;
    const found = this.#found;
    return found && found.actor === actor && found.selection.holds(selection) ? (found.rows as Row[]) : null;
  }

  #keyFor(actor: Actor): string {
    return JSON.stringify([this.#habit.id, actor, this.#ref]);
  }
}
