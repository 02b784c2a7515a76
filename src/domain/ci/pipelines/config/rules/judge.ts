import type { PatternMatcher } from '#src/domain/ci/pipelines/config/base/pattern.ts';
import type { Sources } from '#src/domain/ci/pipelines/config/base/sources.ts';
import { InvalidConfig, type Variables } from '#src/domain/ci/pipelines/config/base/types.ts';
import type { DefinedVariables } from '#src/domain/ci/pipelines/config/base/values.ts';
import { type Expression, holds, variablesIn } from '#src/domain/ci/pipelines/config/rules/expression.ts';
import { matchesAny } from '#src/domain/ci/pipelines/config/rules/glob.ts';
import type { ChangesCondition, ExistsCondition, Rule } from '#src/domain/ci/pipelines/config/rules/model.ts';
import { type Expandable, Expansion, ExpansionBudget, namesIn } from '#src/domain/ci/variables/expansion.ts';

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
  /** The names of those among them whose values are not looked into. */
  fixed?: readonly string[];
}

/** Variables of the file. */
const NONE: DefinedVariables = { values: {}, raw: [] };
/** Characters of the longest path, pattern, name or ref, after which it is cut. */
const MAX_TEXT_LENGTH = 2_000;

/** The variables of a job or pipeline: those of the file are between the others. What the server says has no references in it. */
export function layered(
  { weak, strong, fixed = [] }: KnownVariables,
  { values, raw }: DefinedVariables,
): (name: string) => Expandable | undefined {
  const [fixedNames, rawNames] = [new Set(fixed), new Set(raw)];
  return (name) => {
    const found = (from: Variables) => (Object.hasOwn(from, name) ? (from[name] ?? '') : undefined);
    const [given, own, predefined] = [found(strong), found(values), found(weak)];
    if (given !== undefined) return { value: given, isFixed: fixedNames.has(name) };
    if (own !== undefined) return { value: own, isFixed: rawNames.has(name) };
    return predefined === undefined ? undefined : { value: predefined, isFixed: true };
  };
}

/** Conditions that may name variables. */
export interface Conditions {
  expressions?: readonly Expression[];
  changes?: ChangesCondition | null;
  exists?: ExistsCondition | null;
}

/** Predefined variables that tell by their absence what a pipeline is for. */
const OF_SOME_PIPELINES =
  /^(?:CI_(?:COMMIT_(?:TAG|TAG_MESSAGE|BRANCH)|(?:MERGE_REQUEST|EXTERNAL_PULL_REQUEST|ENVIRONMENT)_\w+|OPEN_MERGE_REQUESTS|PIPELINE_(?:TRIGGERED|SCHEDULE_DESCRIPTION)|DEFAULT_BRANCH|DEPLOY_FREEZE|KUBERNETES_ACTIVE|PROJECT_REPOSITORY_LANGUAGES|NODE_INDEX|REGISTRY\w*)|TRIGGER_PAYLOAD|CHAT_\w+)$/;
/** Unset names that are told of one thing. */
const MAX_NAMES = 20;

/** Decides whether rules hold, for one pipeline. Throws InvalidConfig for conditions that take too long. */
export class Judge {
  readonly #known: KnownVariables;
  readonly #matcher: PatternMatcher;
  readonly #sources: Sources;
  readonly #budget = new ExpansionBudget();
  #left = MAX_TOTAL_CHECKS;

  constructor(known: KnownVariables, matcher: PatternMatcher, sources: Sources) {
    this.#known = known;
    this.#matcher = matcher;
    this.#sources = sources;
  }

  /** The first rule that holds. `own` are the variables of the job, which give way to those of the project. */
  first(rules: readonly Rule[], own: DefinedVariables = NONE): Rule | null {
    const known = this.#with(own);
    return rules.find((rule) => this.#holds(rule, known)) ?? null;
  }

  /** Whether one of the expressions holds. */
  any(expressions: readonly Expression[], own: DefinedVariables): boolean {
    const known = this.#with(own);
    return expressions.some((expression) => this.#isTrue(expression, known));
  }

  /** Whether one of the paths that the commit changed matches. */
  changed(condition: ChangesCondition, own: DefinedVariables = NONE): boolean {
    return this.#changed(condition, this.#with(own));
  }

  /**
   * The names in conditions that are not set, other than those that only some pipelines have; none where nothing is known of the
   * pipeline.
   */
  unset(conditions: readonly Conditions[], own: DefinedVariables = NONE): string[] {
    if (Object.keys(this.#known.weak).length === 0) return [];
    const find = layered(this.#known, own);
    const names = conditions.flatMap(({ expressions = [], changes, exists }) => [
      ...expressions.flatMap(variablesIn),
      ...[...(changes?.paths ?? []), changes?.compareTo ?? '', ...(exists?.paths ?? [])].flatMap(namesIn),
    ]);
    return [...new Set(names)].filter((name) => !OF_SOME_PIPELINES.test(name) && !find(name)).slice(0, MAX_NAMES);
  }

  /** Replaces the variables of the pipeline in a text; unset ones stay. */
  expand(text: string): string {
    return this.#with(NONE).text(text, MAX_TEXT_LENGTH);
  }

  #with(own: DefinedVariables): Expansion {
    return new Expansion(layered(this.#known, own), 'final', this.#budget);
  }

  #isTrue(expression: Expression, known: Expansion): boolean {
    return holds(expression, (name) => known.value(name), this.#matcher);
  }

  #changed({ paths, compareTo }: ChangesCondition, known: Expansion): boolean {
    const ref = compareTo && known.text(compareTo, MAX_TEXT_LENGTH);
    const found = this.#sources.find({ kind: 'changes', compareTo: ref });
    if (found == null) return true;
    if ('error' in found) throw new InvalidConfig(found.error);
    return this.#finds(paths, found, known, MAX_CHECKS / Math.max(1, paths.length));
  }

  #holds(rule: Rule, known: Expansion): boolean {
    if (rule.if && !this.#isTrue(rule.if, known)) return false;
    if (rule.changes && !this.#changed(rule.changes, known)) return false;
    return !rule.exists || this.#exists(rule.exists, known);
  }

  #exists({ paths, place }: ExistsCondition, known: Expansion): boolean {
    const [project, ref] = [place?.project, place?.ref].map((text) => text && known.text(text, MAX_TEXT_LENGTH));
    const found = this.#sources.find({ kind: 'tree', place: project && ref ? { project, ref } : null });
    if (found === undefined) return false;
    if ('error' in found) throw new InvalidConfig(found.error);
    return this.#finds(paths, found, known, MAX_CHECKS / Math.max(1, paths.length));
  }

  #finds(
    patterns: readonly string[],
    { paths, isWhole }: { paths: string[]; isWhole: boolean },
    known: Expansion,
    most: number,
  ): boolean {
    if (!isWhole || paths.length > most) return true;
    this.#left -= patterns.length * paths.length;
    if (this.#left < 0) throw new InvalidConfig('The rules of the file compare too many paths');
    const wanted = patterns.map((pattern) => known.text(pattern, MAX_TEXT_LENGTH).replace(/^\/+/, ''));
    return paths.some((path) => matchesAny(path, wanted));
  }
}
