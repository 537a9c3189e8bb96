// Administrative methods about permissions of hostnames.
import { NodeError } from "../../../errors/node-error.ts";
import type { Permissions } from "../../keys/wallet-data.ts";
import { mismatch, Params } from "../params.ts";
import { invalidParams } from "../rpc.ts";
import { type AdminMethod, walletOf } from "./shared.ts";

/** The original prints no allowed keys as null. */
function permissionsResult({ publicKeys: { access, allowedKeys } }: Permissions) {
  return { publicKeys: { access, allowedKeys: allowedKeys.length === 0 ? null : allowedKeys } };
}

function wanted(value: unknown): { params: Params; hostname: string } {
  const params = new Params(value);
  params.text("wallet", "wallet");
  return { params, hostname: params.text("hostname", "hostname") };
}

const describe: AdminMethod = async (parts, value) => {
  const { params, hostname } = wanted(value);
  return { permissions: permissionsResult((await walletOf(parts, params)).permissions(hostname)) };
};

const list: AdminMethod = async (parts, value) => {
  const { allPermissions } = await walletOf(parts, new Params(value));
  const entries = [...allPermissions].map(([hostname, { publicKeys }]) => [
    hostname,
    { public_keys: publicKeys.access },
  ]);
  return { permissions: Object.fromEntries(entries) };
};

const update: AdminMethod = async (parts, value) => {
  const { params, hostname } = wanted(value);
  const keys = params.optionalParams("permissions")?.optionalParams("publicKeys");
  const access = keys?.optionalText("access") || "none";
  if (access !== "read" && access !== "none") throw mismatch();
  const permissions: Permissions = {
    publicKeys: { access, allowedKeys: keys?.optionalTexts("allowedKeys") ?? [] },
  };
  const wallet = await walletOf(parts, params);
  try {
    await wallet.updatePermissions(hostname, permissions);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    throw invalidParams(error.message);
  }
  return { permissions: permissionsResult(permissions) };
};

const revoke: AdminMethod = async (parts, value) => {
  const { params, hostname } = wanted(value);
  await (await walletOf(parts, params)).revokePermissions(hostname);
};

const purge: AdminMethod = async (parts, value) => {
  await (await walletOf(parts, new Params(value))).purgePermissions();
};

export const permissionMethods = {
  "admin.describe_permissions": describe,
  "admin.list_permissions": list,
  "admin.update_permissions": update,
  "admin.revoke_permissions": revoke,
  "admin.purge_permissions": purge,
} satisfies Readonly<Record<string, AdminMethod>>;
