import type { PatternMatcher } from '#src/domain/ci/pipelines/config/base/pattern.ts';
import type { AboutComponent, Answer, Place, Sources, Wanted } from '#src/domain/ci/pipelines/config/base/sources.ts';
import { MAX_CONFIG_BYTES, MAX_TOTAL_BYTES } from '#src/domain/ci/pipelines/config/base/sources.ts';
import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import {
  ExpansionLimit,
  isMap,
  isRecord,
  type Raw,
  readNames,
  requireKeys,
  scalarText,
} from '#src/domain/ci/pipelines/config/base/values.ts';
import { withInputs } from '#src/domain/ci/pipelines/config/compose/inputs.ts';
import type { Merger } from '#src/domain/ci/pipelines/config/compose/merge.ts';
import { isGlob, matchesAny } from '#src/domain/ci/pipelines/config/rules/glob.ts';
import type { Judge } from '#src/domain/ci/pipelines/config/rules/judge.ts';
import { readRules } from '#src/domain/ci/pipelines/config/rules/read.ts';
import { loadYamlWithHeader } from '#src/domain/ci/pipelines/config/yaml/load.ts';

/** Files that a configuration may consist of, beside its own; one that is named twice counts twice. */
const MAX_INCLUDED_FILES = 150;
/** How many files may be included by each other. */
const MAX_INCLUDE_DEPTH = 20;

/** A file that was included. */
export interface Included {
  type: 'local' | 'file' | 'remote' | 'template' | 'component' | 'artifact';
  /** Its path, address or name. */
  location: string;
  /** The project that it lies in; null for that of the pipeline. */
  place: Place;
  /** Of an artifact: the name of its job. */
  job?: string;
}

/** A file while it is read. */
interface File {
  location?: string;
  /** What it may ask of itself, if it is a component. */
  about?: AboutComponent | null | undefined;
}

export interface Composition {
  sources: Sources;
  merger: Merger;
  matcher: PatternMatcher;
  /** For the rules of includes. */
  judge: Judge;
}

/** Puts the files together that a configuration includes. */
export class Composer {
  readonly included: Included[] = [];
  readonly warnings: string[] = [];
  readonly #composition: Composition;
  readonly #budget = new ExpansionLimit();
  #bytes = 0;

  constructor(composition: Composition) {
    this.#composition = composition;
  }

  /**
   * The content of a file with all that it includes: later files win over earlier ones, and the file itself over all. What is
   * missing among the sources is left out. Throws InvalidConfig.
   */
  read(
    text: string,
    place: Place = null,
    inputs: Raw = {},
    depth = 0,
    { location = '', about = null }: File = {},
  ): Raw {
    if (Buffer.byteLength(text) > MAX_CONFIG_BYTES) {
      throw new InvalidConfig(`The file${location && ` ${location}`} is larger than ${MAX_CONFIG_BYTES} bytes`);
    }
    this.#bytes += text.length;
    if (this.#bytes > MAX_TOTAL_BYTES)
      throw new InvalidConfig(`The files are larger than ${MAX_TOTAL_BYTES} bytes together`);
    const { header, content } = loadYamlWithHeader(text);
    if (header !== null && !isSpec(header)) {
      throw new InvalidConfig('A second document, which is not supported unless the first has `spec`');
    }
    const raw = withInputs(content, header, inputs, {
      matcher: this.#composition.matcher,
      isFromOutside: depth === 0,
      about,
    });
    if (!isMap(raw))
      throw new InvalidConfig(
        location ? `Included file \`${location}\` does not have valid YAML syntax!` : 'Invalid configuration format',
      );
    const { include, ...own } = raw;
    if (include == null) return raw;
    if (depth >= MAX_INCLUDE_DEPTH)
      throw new InvalidConfig(`Files are included more than ${MAX_INCLUDE_DEPTH} levels deep`);
    let merged: Raw = {};
    for (const entry of flat(include)) {
      for (const file of this.#filesOf(entry, place)) {
        this.included.push(file);
        if (this.included.length > MAX_INCLUDED_FILES)
          throw new InvalidConfig(`Maximum of ${MAX_INCLUDED_FILES} nested includes are allowed!`);
        const found = this.#contentOf(file);
        if (found === undefined) continue;
        const given = isRecord(entry) && isRecord(entry.inputs) ? entry.inputs : {};
        const { about } = found;
        const next = this.read(found.text, found.place, given, depth + 1, { location: file.location, about });
        merged = this.#composition.merger.merge(merged, next);
      }
    }
    return this.#composition.merger.merge(merged, own);
  }

  /** The files that an entry of `include` names. */
  #filesOf(entry: unknown, place: Place): Included[] {
    const text = scalarText(entry);
    if (text !== null) return this.#filesOf(/^https?:\/\//.test(text) ? { remote: text } : { local: text }, place);
    if (!isMap(entry)) throw new InvalidConfig('include config should be a string, a hash, or an array of them');
    requireKeys(entry, 'include', [...KINDS, 'ref', 'file', 'rules', 'inputs', 'integrity', 'cache', 'job']);
    const kinds = KINDS.filter((kind) => entry[kind] != null);
    if (kinds.length !== 1) throw new InvalidConfig(`include config must contain exactly one of: ${KINDS.join(', ')}`);
    if (entry.rules != null && !this.#isWanted(entry.rules)) return [];
    const named = (value: unknown, key: string | undefined = kinds[0]) => {
      const found = scalarText(value);
      if (!found) throw new InvalidConfig(`include ${key} should be a string`);
      return this.#composition.judge.expand(found);
    };
    if (entry.template != null) return [{ type: 'template', location: named(entry.template), place: null }];
    if (entry.remote != null) return [{ type: 'remote', location: named(entry.remote), place: null }];
    if (entry.component != null)
      return [{ type: 'component', location: scalarText(entry.component) ?? '', place: null }];
    if (entry.artifact != null)
      return [{ type: 'artifact', location: named(entry.artifact), place: null, job: named(entry.job, 'job') }];
    if (entry.local != null) return this.#local(named(entry.local), place);
    const files = readNames(entry.file, 'include file', this.#budget) ?? [];
    if (files.length === 0)
      throw new InvalidConfig('include config must specify the file where to fetch the config from');
    const ref = entry.ref == null ? 'HEAD' : named(entry.ref);
    const there = { project: named(entry.project), ref };
    return files.map((file) => ({
      type: 'file',
      location: plainPath(this.#composition.judge.expand(file)),
      place: there,
    }));
  }

  #local(location: string, place: Place): Included[] {
    const path = plainPath(location);
    if (!isGlob(path)) return [{ type: 'local', location: path, place }];
    const tree = this.#composition.sources.find({ kind: 'tree', place });
    if (tree === undefined) return [];
    if ('error' in tree) throw new InvalidConfig(tree.error);
    if (!tree.isWhole)
      throw new InvalidConfig(`Local file \`${path}\` cannot be found: the repository has too many files`);
    const found = tree.paths.filter((one) => isYaml(one) && matchesAny(one, [path])).sort();
    if (found.length === 0) throw new InvalidConfig(`Local file \`${path}\` does not exist!`);
    return found.map((one) => ({ type: 'local', location: one, place }));
  }

  #isWanted(value: unknown): boolean {
    const rules = readRules(value, 'include:rules', this.#budget, 'include');
    const rule = this.#composition.judge.first(rules);
    return rule !== null && rule.when !== 'never';
  }

  /** The text of a file, and where what it includes lies. */
  #contentOf(file: Included): { text: string; place: Place; about?: AboutComponent } | undefined {
    if (file.type === 'component') return this.#component(file.location);
    const text = this.#textOf(file);
    const isFile = file.type === 'local' || file.type === 'file';
    return text === undefined ? undefined : { text, place: isFile ? file.place : null };
  }

  #component(location: string): { text: string; place: Place; about: AboutComponent } | undefined {
    const { judge, sources } = this.#composition;
    const [, named = ''] = COMPONENT.exec(location) ?? [];
    const whole = judge.expand(location);
    const hosts = ['$CI_SERVER_FQDN', '$CI_SERVER_HOST'].map((name) => `${judge.expand(name)}/`);
    const host = hosts.find((one) => whole.startsWith(one));
    const [, path, version] = VERSIONED.exec(host ? whole.slice(host.length) : judge.expand(named)) ?? [];
    if (!path || !version) {
      throw new InvalidConfig(`Component \`${location}\` should be $CI_SERVER_FQDN/project/name@version`);
    }
    const found = sources.find({ kind: 'component', path, version });
    if (found && 'error' in found) throw new InvalidConfig(found.error);
    return found;
  }

  #textOf({ type, location, place, job = '' }: Included): string | undefined {
    const isFile = type === 'local' || type === 'file';
    if ((isFile || type === 'artifact') && !isYaml(location)) {
      throw new InvalidConfig(`Included file \`${location}\` does not have YAML extension!`);
    }
    const wanted: Wanted = isFile
      ? { kind: 'file', place, path: location }
      : type === 'remote'
        ? { kind: 'remote', url: location }
        : type === 'artifact'
          ? { kind: 'artifact', job, path: plainPath(location) }
          : { kind: 'template', name: location };
    const found: Answer<'file' | 'remote' | 'template' | 'artifact'> | undefined =
      this.#composition.sources.find(wanted);
    if (found && 'error' in found) throw new InvalidConfig(found.error);
    if (found && 'warning' in found && found.warning !== undefined) this.warnings.push(found.warning);
    return found?.text;
  }
}

/** Of this server, whose name is not always known. */
const COMPONENT = /^\$(?:\{CI_SERVER_(?:FQDN|HOST)\}|CI_SERVER_(?:FQDN|HOST))\/(.+)$/;
const VERSIONED = /^([^@]{1,500}\/[\w-]{1,255})@([^@]{1,255})$/;
const KINDS = ['local', 'project', 'remote', 'template', 'component', 'artifact'] as const;

function isSpec(header: unknown): boolean {
  return isRecord(header) && header.spec !== undefined;
}

function isYaml(path: string): boolean {
  return /\.ya?ml$/i.test(path);
}

function plainPath(path: string): string {
  return path.replace(/^\/+/, '');
}

function flat(include: unknown): unknown[] {
  return Array.isArray(include) ? include.flat(3) : [include];
}
