import type { PatternMatcher } from '#src/domain/ci/pipelines/config/base/pattern.ts';
import type { Sources } from '#src/domain/ci/pipelines/config/base/sources.ts';
import { InvalidConfig, type Variables } from '#src/domain/ci/pipelines/config/base/types.ts';
import { expandKnown } from '#src/domain/ci/pipelines/config/base/variables.ts';
import { type Expression, holds } from '#src/domain/ci/pipelines/config/rules/expression.ts';
import { matchesAny } from '#src/domain/ci/pipelines/config/rules/glob.ts';
import type { ChangesCondition, ExistsCondition, Rule } from '#src/domain/ci/pipelines/config/rules/model.ts';

/** How many paths are compared with patterns for one condition; beyond them, it holds. */
const MAX_CHECKS = 50_000;
/** The same for all conditions of a file. */
const MAX_TOTAL_CHECKS = 2_000_000;

/** The variables of a pipeline besides those of the file. */
export interface KnownVariables {
  /** Predefined ones, which the file can change. */
  weak: Variables;
  /** Those of the project and of who started the pipeline, which win over the file. */
  strong: Variables;
}

/** Decides whether rules hold, for one pipeline. Throws InvalidConfig for conditions that take too long. */
export class Judge {
  readonly #known: KnownVariables;
  readonly #matcher: PatternMatcher;
  readonly #sources: Sources;
  #left = MAX_TOTAL_CHECKS;

  constructor(known: KnownVariables, matcher: PatternMatcher, sources: Sources) {
    this.#known = known;
    this.#matcher = matcher;
    this.#sources = sources;
  }

  /** The first rule that holds. `variables` are those of the job, which give way to those of the project. */
  first(rules: readonly Rule[], variables: Variables): Rule | null {
    return rules.find((rule) => this.#holds(rule, variables)) ?? null;
  }

  /** Whether one of the expressions holds. */
  any(expressions: readonly Expression[], variables: Variables): boolean {
    const known = this.#with(variables);
    return expressions.some((expression) => holds(expression, known, this.#matcher));
  }

  /** Whether one of the paths that the commit changed matches. */
  changed({ paths, compareTo }: ChangesCondition, variables: Variables = {}): boolean {
    const known = this.#with(variables);
    const found = this.#sources.find({ kind: 'changes', compareTo: compareTo && expandKnown(compareTo, known) });
    if (found == null) return true;
    if ('error' in found) throw new InvalidConfig(found.error);
    return this.#finds(paths, found, known, MAX_CHECKS / Math.max(1, paths.length));
  }

  /** Replaces the variables of the pipeline in a text; others stay. */
  expand(text: string): string {
    return expandKnown(text, this.#with({}));
  }

  #with(variables: Variables): Variables {
    return { ...this.#known.weak, ...variables, ...this.#known.strong };
  }

  #holds(rule: Rule, variables: Variables): boolean {
    if (rule.if && !this.any([rule.if], variables)) return false;
    if (rule.changes && !this.changed(rule.changes, variables)) return false;
    return !rule.exists || this.#exists(rule.exists, variables);
  }

  #exists({ paths, place }: ExistsCondition, variables: Variables): boolean {
    const known = this.#with(variables);
    const there = place && { project: expandKnown(place.project, known), ref: expandKnown(place.ref, known) };
    const found = this.#sources.find({ kind: 'tree', place: there });
    if (found === undefined) return false;
    if ('error' in found) throw new InvalidConfig(found.error);
    return this.#finds(paths, found, known, MAX_CHECKS / Math.max(1, paths.length));
  }

  #finds(
    patterns: readonly string[],
    { paths, isWhole }: { paths: string[]; isWhole: boolean },
    variables: Variables,
    most: number,
  ): boolean {
    if (!isWhole || paths.length > most) return true;
    this.#left -= patterns.length * paths.length;
    if (this.#left < 0) throw new InvalidConfig('The rules of the file compare too many paths');
    const wanted = patterns.map((pattern) => expandKnown(pattern, variables).replace(/^\/+/, ''));
    return paths.some((path) => matchesAny(path, wanted));
  }
}
