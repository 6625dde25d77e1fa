"""Django: a project, migrations, its own tests, SQL at debug level."""
import subprocess, sys
run = lambda *c, **k: subprocess.run([sys.executable, *c], check=True, **k)
run("-m", "django", "startproject", "site1")
with open("site1/site1/settings.py", "a") as f:
    f.write("\nLOGGING={'version':1,'handlers':{'c':{'class':'logging.StreamHandler'}},'loggers':{'django':{'handlers':['c'],'level':'DEBUG'}}}\n")
run("manage.py", "migrate", "-v", "3", cwd="site1"); run("manage.py", "check", "--deploy", cwd="site1"); run("manage.py", "sqlmigrate", "auth", "0001", cwd="site1"); run("manage.py", "diffsettings", "--all", cwd="site1")
