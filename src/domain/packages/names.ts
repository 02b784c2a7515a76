import { MAX_NAME_LENGTH, PACKAGE_KINDS, type PackageType } from '#src/domain/packages/types.ts';
import { BadRequest } from '#src/platform/errors.ts';

const NAME = /^[A-Za-z0-9._+-]+$/;
const VERSION = /^(?!.*\.\.)[\w+.-]+$/;
/** Parts of the path of a file: letters, digits and a few signs, of which some stand in the middle alone. */
const PART = /^(?![~@])[A-Za-z0-9._+~@-]+(?<![~@])$/;

/** Throws BadRequest unless name, version and file of a generic package are well-formed (code-and-ci.md R20). */
export function checkNames({ name, version, fileName }: { name: string; version: string; fileName: string }): void {
  const isFit = (text: string, pattern: RegExp) => text.length <= MAX_NAME_LENGTH && pattern.test(text);
  if (!isFit(name, NAME) || /^\.+$/.test(name)) throw invalid('package_name', 'name');
  if (!isFit(version, VERSION)) throw invalid('package_version', 'version');
  const parts = fileName.split('/');
  const isPath = parts.every((part) => PART.test(part) && part !== '.' && part !== '..');
  if (fileName.length > MAX_NAME_LENGTH || !isPath) throw invalid('file_name', 'fileName');
}

/** Throws BadRequest unless name, version and file are those of a package of this type. */
export function checkKind(
  type: PackageType,
  { name, version, fileName }: { name: string; version: string; fileName: string },
): void {
  const kind = PACKAGE_KINDS[type];
  const isFit = (text: string, pattern: RegExp) => text.length <= MAX_NAME_LENGTH && pattern.test(text);
  if (!isFit(name, kind.name)) throw invalid('name', 'name');
  if (!isFit(version, kind.version)) throw invalid('version', 'version');
  if (!isFit(fileName, kind.fileName)) throw invalid('file_name', 'fileName');
}

function invalid(parameter: string, field: string): BadRequest {
  return new BadRequest(`${parameter} is invalid`, field, 'valueInvalid');
}
