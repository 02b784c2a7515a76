import type { Columns } from '#src/platform/records/model.ts';

/** A kind of package. */
export type PackageType = Columns['Package']['type'];

/** A version of a package, or a file of it, as addresses and commands name it. */
export interface Named {
  name: string;
  version: string;
  fileName: string;
  sha256: string;
  details: unknown;
}

/** A version that is installed. */
export interface Installed {
  name: string;
  version: string;
  /** The distribution that a Debian package is in. */
  distribution?: string | null;
}

/** What differs between kinds of packages. Lengths are in characters. */
export interface PackageKind {
  /** Names, versions and names of files that can be published; all have `MAX_NAME_LENGTH` characters at most. */
  name: RegExp;
  version: RegExp;
  fileName: RegExp;
  /** Where a file is downloaded, below `/packages` of its project. */
  download(file: Named): string;
  /** How a version is installed, for people: a command, or lines of a file. `registry` is the URL of `/packages` of the project. */
  install(version: Installed, registry: string): string;
}

export const MAX_NAME_LENGTH = 255;

const encoded = (...parts: string[]) => parts.flatMap((part) => part.split('/').map(encodeURIComponent)).join('/');

/** A path whose parts are made of few characters, and none of which is `.` or `..`. */
const PATH = /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[A-Za-z0-9._+~@-]+(?:\/[A-Za-z0-9._+~@-]+)*$/;
const FILE = /^(?!\.{1,2}$)[A-Za-z0-9._+~@!-]+$/;
const WORD = /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/;
const SEMVER = /^\d{1,16}\.\d{1,16}\.\d{1,16}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

/** The channel of a chart. */
function channelOf(details: unknown): string {
  return String((details as { channel?: unknown } | null)?.channel ?? 'stable');
}

/** The one table of the kinds of packages. Rules of generic packages and of npm are beside what publishes those. */
export const PACKAGE_KINDS: Readonly<Record<PackageType, PackageKind>> = {
  generic: {
    ...{ name: WORD, version: WORD, fileName: PATH },
    download: ({ name, version, fileName }) => `generic/${encoded(name, version, fileName)}`,
    install: ({ name, version }, registry) =>
      `curl --fail --header "PRIVATE-TOKEN: $TOKEN" --remote-name "${registry}/generic/${name}/${version}/FILE"`,
  },
  npm: {
    ...{ name: /^(?:@[^/]+\/)?[^/]+$/, version: SEMVER, fileName: FILE },
    download: ({ name, fileName }) => `npm/${name}/-/${fileName}`,
    install: ({ name, version }, registry) => `npm install ${name}@${version} --registry=${registry}/npm/`,
  },
  pypi: {
    // Core metadata: names are normalized, versions those of PEP 440 (loosely: old ones are still published).
    ...{ name: /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, version: /^[A-Za-z0-9][A-Za-z0-9._+!-]*$/, fileName: FILE },
    download: ({ sha256, fileName }) => `pypi/files/${sha256}/${encoded(fileName)}`,
    install: ({ name, version }, registry) => `pip install ${name}==${version} --index-url ${registry}/pypi/simple`,
  },
  maven: {
    ...{ name: PATH, version: WORD, fileName: FILE },
    download: ({ name, version, fileName }) => `maven/${encoded(name, version, fileName)}`,
    install: ({ name, version }) => {
      const mark = name.lastIndexOf('/');
      const [group, artifact] = [name.slice(0, mark).replaceAll('/', '.'), name.slice(mark + 1)];
      return `<dependency>\n  <groupId>${group}</groupId>\n  <artifactId>${artifact}</artifactId>\n  <version>${version}</version>\n</dependency>`;
    },
  },
  helm: {
    ...{ name: /^[a-zA-Z0-9._-]+$/, version: /^v?\d+(?:\.\d+){0,2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/ },
    fileName: FILE,
    download: ({ fileName, details }) => `helm/${encoded(channelOf(details))}/charts/${encoded(fileName)}`,
    install: ({ name, version }, registry) =>
      `helm repo add project ${registry}/helm/stable\nhelm install ${name} project/${name} --version ${version}`,
  },
  nuget: {
    ...{
      name: /^[A-Za-z0-9_]+(?:[.-][A-Za-z0-9_]+)*$/,
      version: /^\d+(?:\.\d+){2,3}(?:-[0-9A-Za-z.-]+)?$/,
      fileName: FILE,
    },
    download: ({ name, version, fileName }) =>
      `nuget/download/${encoded(name.toLowerCase(), version.toLowerCase(), fileName)}`,
    install: ({ name, version }, registry) =>
      `dotnet add package ${name} --version ${version} --source ${registry}/nuget/index.json`,
  },
  composer: {
    name: /^[a-z0-9]+(?:[_.-][a-z0-9]+)*\/[a-z0-9]+(?:(?:[_.]|-{1,2})[a-z0-9]+)*$/,
    // Made of tags and branches, without files of their own.
    ...{ version: /^[^\s\0]+$/, fileName: /^$/ },
    download: ({ name }) => `composer/archives/${name}.zip`,
    install: ({ name, version }, registry) =>
      `composer config repositories.project composer ${registry}/composer/packages.json\ncomposer require ${name}:${version}`,
  },
  terraform_module: {
    ...{ name: /^[A-Za-z0-9_-]+\/[a-z0-9_-]+$/, version: SEMVER, fileName: FILE },
    download: ({ name, version }) => `terraform/modules/${encoded(name, version)}`,
    install: ({ name, version }, registry) =>
      `module "${name.slice(0, name.indexOf('/'))}" {\n  source = "${registry}/terraform/modules/${name}/${version}?archive=tgz"\n}`,
  },
  rubygems: {
    ...{ name: /^[A-Za-z0-9][A-Za-z0-9._-]*$/, version: /^\d[0-9A-Za-z._-]*$/, fileName: FILE },
    download: ({ fileName }) => `rubygems/gems/${encoded(fileName)}`,
    install: ({ name, version }, registry) => `gem install ${name} --version ${version} --source ${registry}/rubygems`,
  },
  debian: {
    // A source package; deb-version(7).
    ...{ name: /^[a-z0-9][a-z0-9+.-]+$/, version: /^(?:\d{1,9}:)?\d[A-Za-z0-9.+~-]*$/, fileName: FILE },
    download: ({ name, version, fileName, details }) => {
      const { distribution = 'incoming' } = (details ?? {}) as { distribution?: string };
      return `debian/${debianPool({ distribution, name, version, fileName })}`;
    },
    install: ({ name, distribution }, registry) => {
      const codename = distribution ?? 'CODENAME';
      const key = '/etc/apt/keyrings/project.asc';
      return `curl --fail --output ${key} ${registry.replace(/\/packages$/, '')}/debian_distributions/${codename}/key.asc
echo "deb [signed-by=${key}] ${registry}/debian ${codename} main" > /etc/apt/sources.list.d/project.list
apt-get update && apt-get install ${name}`;
    },
  },
  conan: {
    name: /^[a-z0-9_][a-z0-9_+.-]{1,100}$/,
    version: /^[\w+.-]{1,100}(?:@[\w+.-]{1,100}\/[\w+.-]{1,100})?$/,
    fileName: PATH,
    download: ({ name, version, fileName }) => `conan/${conanPath(name, version, fileName)}`,
    install: ({ name, version }, registry) =>
      `conan remote add project ${registry}/conan\nconan install --requires=${name}/${version} --remote=project`,
  },
};

/** The path of a file below the address of a repository of Debian packages, as indexes have it. */
export function debianPool({
  distribution,
  projectId,
  name,
  version,
  fileName,
}: {
  distribution: string;
  /** In the repository of a group. */
  projectId?: number;
  name: string;
  version: string;
  fileName: string;
}): string {
  const letter = name.startsWith('lib') ? name.slice(0, 4) : name.slice(0, 1);
  const place = projectId === undefined ? [] : [String(projectId)];
  return ['pool', distribution, ...place, letter, name, version, fileName].join('/');
}

/** The path of a file in the API of Conan, which is named `RREV/export/FILE` or `RREV/package/ID/PREV/FILE` here. */
function conanPath(name: string, version: string, fileName: string): string {
  const [own = '', place = '_/_'] = version.split('@');
  const [revision = '', kind, ...rest] = fileName.split('/');
  const base = `v2/conans/${encoded(name, own, place)}/revisions/${revision}`;
  if (kind === 'export') return `${base}/files/${encoded(...rest)}`;
  const [id = '', build = '', ...file] = rest;
  return `${base}/packages/${id}/revisions/${build}/files/${encoded(...file)}`;
}
