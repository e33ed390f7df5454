"""Archives whose bytes do not depend on time, place or user."""
import gzip
import io
import tarfile
import time
import zipfile


def tar_gz(files, epoch):
    """files: File, in the order of the archive."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for file in files:
            entry = tarfile.TarInfo(file.path)
            entry.size, entry.mode, entry.mtime = len(file.data), file.mode, epoch
            entry.uname = entry.gname = "root"
            archive.addfile(entry, io.BytesIO(file.data))
    return gzip.compress(plain.getvalue(), 9, mtime=0)


def wheel_zip(files, epoch):
    when = time.gmtime(max(epoch, 315532800))[:6]  # zip cannot represent times before 1980
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.path, when)
            entry.external_attr = (0o100000 | file.mode) << 16
            entry.create_system = 3  # Unix, so the mode is used
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.data)
    return packed.getvalue()
